import { createOutgoingFetch } from "@sealhouse/http-server";
import type { OutgoingConfig } from "@sealhouse/http-server";
import type { OpenFetch } from "@sealhouse/upstream-sources";

const ALLOW_PRIVATE =
  "To allow it, add the source again with --allow-private-network --replace; " +
  "for a source of the settings, set its AllowPrivateNetwork to true.";

/** Returns the `fetch` of calls to package sources. */
export function openFetchForSources({
  outgoingProxy: proxy,
}: Pick<OutgoingConfig, "outgoingProxy">): OpenFetch {
  return (options) =>
    createOutgoingFetch({
      ...options,
      advice: ALLOW_PRIVATE,
      proxy,
    });
}
