import { loadPeer } from "@sealhouse/settings";
import type * as Prometheus from "prom-client";

/** Loads the library of metrics. @throws PeerMissingError when it is not installed */
export function loadPrometheus(): Promise<typeof Prometheus> {
  const manifest = import.meta.resolve("@sealhouse/http-server/package.json");
  const peers = { feature: "Metrics", packages: ["prom-client"], manifest };
  return loadPeer(peers, () => import("prom-client"));
}
