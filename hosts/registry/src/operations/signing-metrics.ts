import { canSign } from "@sealhouse/repo-signing/feed";
import type { FeedSigning } from "@sealhouse/repo-signing/feed";
import type { Registry } from "prom-client";

/** Adds whether NuGet packages can be signed; nothing while that is unknown or signing is off. */
export async function addSigningMetrics(
  registry: Registry,
  feed: string,
  { state }: Pick<FeedSigning, "state">,
): Promise<void> {
  const isReady = canSign(state());
  if (isReady === undefined) return;
  const { Gauge } = await import("prom-client");
  const ready = new Gauge({ ...READY, labelNames: ["feed", "type"], registers: [registry] });
  ready.set({ feed, type: "nuget" }, isReady ? 1 : 0);
}

const READY = {
  name: "signing_ready",
  help: "1 while packages can be signed, 0 while they cannot",
};
