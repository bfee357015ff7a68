import type { Protocol } from "@sealhouse/request-types";
import type { CheckSummary } from "@sealhouse/storage-providers";
import type { Registry } from "prom-client";

/** The progress of the storage check that this process runs in the background. */
export type CheckMetrics = {
  progress(type: Protocol, summary: CheckSummary): void;
  /** A check of the whole storage has ended. */
  ended(time: Date): void;
  /** Nothing before the first check. */
  addTo(registry: Registry): Promise<void>;
};

export function createCheckMetrics(feed: string): CheckMetrics {
  const summaries = new Map<string, CheckSummary>();
  let endedAt: Date | undefined;
  return {
    progress: (type, summary) => void summaries.set(type, summary),
    ended: (endTime) => (endedAt = endTime),
    async addTo(registry) {
      if (summaries.size === 0) return;
      const { Gauge } = await import("prom-client");
      const of = { labelNames: ["feed", "type"] as const, registers: [registry] };
      const compared = new Gauge({ ...COMPARED, ...of });
      const verified = new Gauge({ ...VERIFIED, ...of });
      const bytes = new Gauge({ ...VERIFIED_BYTES, ...of });
      for (const [type, summary] of summaries) {
        compared.set({ feed, type }, summary.named.count);
        verified.set({ feed, type }, summary.verified.count);
        bytes.set({ feed, type }, summary.verified.bytes);
      }
      if (!endedAt) return;
      const ended = new Gauge({ ...ENDED, labelNames: ["feed"] as const, registers: [registry] });
      ended.set({ feed }, endedAt.getTime() / 1000);
    },
  };
}

const COMPARED = {
  name: "storage_check_compared_blobs",
  help: "Blobs that the current or last storage check compared with their objects",
};
const VERIFIED = {
  name: "storage_check_verified_blobs",
  help: "Blobs that the current or last storage check read and found sound",
};
const VERIFIED_BYTES = {
  name: "storage_check_verified_bytes",
  help: "Bytes that the current or last storage check read and found sound",
};
const ENDED = {
  name: "storage_check_last_end_timestamp_seconds",
  help: "When the last storage check of this process ended",
};
