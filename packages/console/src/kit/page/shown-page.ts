import type { Context } from "hono";
import type { Site } from "./model.ts";
import type { PublicAddress } from "./public-address.ts";
import { parsePublicAddress } from "./public-address.ts";

/** The HTTP request for a page, with the environment of its server. */
export type From = { readonly request: Request; readonly env: unknown };

/** Data that every page renderer receives. */
export type Shown = {
  readonly site: Site;
  readonly address: PublicAddress;
  readonly from: From;
};

/** Renders a page when the request's host name is safe in links; otherwise refuses. */
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
