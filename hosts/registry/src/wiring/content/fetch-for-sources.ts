import { createOutgoingFetch } from "@sealhouse/http-server";
import type { OutgoingConfig } from "@sealhouse/http-server";
import type { OpenFetch } from "@sealhouse/upstream-sources";

/** Returns the `fetch` of calls to package sources. */
export function openFetchForSources({
  outgoingProxy: proxy,
}: Pick<OutgoingConfig, "outgoingProxy">): OpenFetch {
  return (options) => createOutgoingFetch({ ...options, proxy });
}
