import type { Context } from "hono";
import type { Site } from "./model.ts";
import type { PublicAddress } from "./public-address.ts";
import { parsePublicAddress } from "./public-address.ts";

/** The request a page is made for. */
export type From = { readonly request: Request; readonly env: unknown };

/** What every page knows. */
export type Shown = {
  readonly site: Site;
  readonly address: PublicAddress;
  readonly from: From;
};

/** Makes a page, where the request came by a host name that can stand in its links. */
export async function shownPage(
  ports: { readonly site: (request: Request, env: unknown) => Site },
  c: Context,
  render: (shown: Shown) => Promise<Response> | Response,
): Promise<Response> {
  const from = { request: c.req.raw, env: c.env };
  const site = ports.site(from.request, from.env);
  const address = parsePublicAddress(site.address);
  if (address) return render({ site, address, from });
  return c.text("The host name of this request is not one that this registry answers to.", 400);
}
