import { isLoopbackHost } from "@sealhouse/http-server";
import type { Log } from "../../log.ts";
import type { Config } from "../../settings/config.ts";

/** People cannot sign in at addresses where browsers refuse the cookie. */
export function warnAboutAddresses(
  { signIn, feed, development }: Config,
  log: Pick<Log, "warn">,
): void {
  if (!signIn) return;
  const { publicBaseUrls } = feed;
  if (publicBaseUrls.length === 0 && !development) {
    log.warn(
      {},
      "people cannot sign in: set Feed__PublicBaseUrl to the https address of this feed",
    );
  }
  for (const url of publicBaseUrls) {
    const { protocol, hostname } = new URL(url);
    if (protocol === "https:" || isLoopbackHost(hostname)) continue;
    log.warn(
      { url },
      "people cannot sign in at this address, because browsers keep the cookie only on https and " +
        "localhost; set Feed__PublicBaseUrl to an https address",
    );
  }
}
