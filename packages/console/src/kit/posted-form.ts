import { errorCodeOf, readBody } from "@sealhouse/http-responses";
import type { Context } from "hono";
import type { PublicAddress } from "./public-address.ts";

/**
 * Browsers attach stored credentials to requests that other sites trigger. They report the origin
 * in `Sec-Fetch-Site` and `Origin`. The code in the form protects users of browsers that do not.
 */
export function isFromElsewhere({ headers }: Request, { host }: PublicAddress): boolean {
  const site = headers.get("sec-fetch-site");
  if (site !== null && site !== "same-origin") return true;
  const origin = headers.get("origin");
  return origin !== null && URL.parse(origin)?.host !== host;
}

/** Returns the fields of a form; undefined for any other body, and for a longer one. */
export async function readForm(c: Context, bytesMax: number): Promise<URLSearchParams | undefined> {
  const type = c.req.header("content-type") ?? "";
  if (type.split(";", 1)[0]?.trim() !== "application/x-www-form-urlencoded") return undefined;
  try {
    const body = await readBody(c, bytesMax);
    return new URLSearchParams(body.toString());
  } catch (error) {
    if (errorCodeOf(error) === "body-too-large") return undefined;
    throw error;
  }
}
