import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { createMetrics } from "./metrics.ts";
import { addSigningMetrics } from "./signing-metrics.ts";
import { addSourceMetrics } from "./source-metrics.ts";

const TOTALS = { count: 3, bytes: 4096 };

/** A scrape with every series: of segments, a check, a garbage collection, requests, signing. */
async function fullScrape(): Promise<string> {
  const count = async () => 7;
  const metrics = createMetrics(
    { feed: "default", segments: ["docker", "helm"] },
    {
      blobBytes: count,
      blobsDamaged: { nuget: count, npm: count, oci: count },
    },
  );
  metrics.count("oci", "push");
  metrics.countSegment("docker", "push");
  metrics.countSegment(undefined, "pull");
  metrics.check.progress("npm", {
    named: TOTALS,
    stored: TOTALS,
    verified: TOTALS,
    damaged: 0,
    restored: 0,
  });
  metrics.check.ended(new Date("2026-11-25T00:00:00Z"));
  metrics.garbage.ended({
    status: "finished",
    id: "1",
    surface: "docker",
    segment: "docker",
    dryRun: false,
    candidates: TOTALS,
    removed: TOTALS,
    links: 1,
    kept: 0,
    failed: 0,
    resumed: 0,
  });
  metrics.requests.observe("npm", { status: 200, ms: 100, bytes: 10 });
  const sources = {
    states: () => new Map([["npmjs", { calls: 5, failedCalls: 2, pausedForMs: 900 }]]),
    keptDocuments: count,
  };
  const { text } = await metrics.render([
    (registry, feed) =>
      addSigningMetrics(registry, feed, {
        state: () => ({ status: "ready", certificate: undefined as never }),
      }),
    (registry, feed) => addSourceMetrics(registry, feed, sources),
  ]);
  return text;
}

const namesIn = (text: string): readonly string[] =>
  [...text.matchAll(/^# TYPE (\S+) /gm)].map(([, name = ""]) => name);

const hasPromtool = spawnSync("promtool", ["--version"]).status === 0;
if (!hasPromtool) {
  process.stderr.write("\nSKIPPED: promtool (Debian package prometheus) is not on the PATH\n\n");
}

test.skipIf(!hasPromtool)("promtool accepts a scrape with every series", async () => {
  const input = await fullScrape();
  expect(namesIn(input)).toEqual(
    expect.arrayContaining([
      "oci_segment_push_total",
      "oci_segment_pull_total",
      "storage_check_compared_blobs",
      "storage_check_last_end_timestamp_seconds",
      "oci_gc_runs_total",
      "oci_gc_candidates",
      "signing_ready",
      "upstream_documents",
    ]),
  );
  const { status, stdout, stderr } = spawnSync("promtool", ["check", "metrics"], {
    input,
    encoding: "utf8",
  });
  expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: "", stderr: "" });
});

test("metrics of package sources count calls, failures, pauses and documents", async () => {
  const lines = (await fullScrape()).split("\n").filter((line) => line.startsWith("upstream_"));
  expect(lines).toEqual([
    'upstream_calls_total{feed="default",source="npmjs"} 5',
    'upstream_failed_calls_total{feed="default",source="npmjs"} 2',
    'upstream_paused{feed="default",source="npmjs"} 1',
    'upstream_documents{feed="default"} 7',
  ]);
});

test("docs/monitoring.md explains every series", async () => {
  const page = readFileSync(new URL("../../../../docs/monitoring.md", import.meta.url), "utf8");
  const own = namesIn(await fullScrape()).filter((name) => !/^(?:process|nodejs)_/.test(name));
  expect(own.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
});
