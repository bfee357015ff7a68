import type { Context } from "hono";
import { methodNotAllowed } from "./answer.ts";
import type { Route } from "./route.ts";

/** Names of the endpoints below the root or the path of a segment. */
export type OciEndpoint = Route["type"] | "token";

type Endpoint = {
  /** `{x}` matches one segment, `{name}` matches one or more. */
  readonly path: string;
  readonly methods: readonly string[];
};

const READ = ["GET", "HEAD"] as const;

/** All endpoints with their methods. The app checks this table first and refuses every other
 * method. */
export const OCI_ENDPOINTS: Readonly<Record<OciEndpoint, Endpoint>> = {
  ping: { path: "/v2/", methods: READ },
  catalog: { path: "/v2/_catalog", methods: READ },
  uploads: { path: "/v2/{name}/blobs/uploads/", methods: ["POST"] },
  upload: {
    path: "/v2/{name}/blobs/uploads/{id}",
    methods: [...READ, "PATCH", "PUT", "DELETE"],
  },
  blob: { path: "/v2/{name}/blobs/{digest}", methods: [...READ, "DELETE"] },
  manifest: { path: "/v2/{name}/manifests/{reference}", methods: [...READ, "PUT", "DELETE"] },
  tags: { path: "/v2/{name}/tags/list", methods: READ },
  referrers: { path: "/v2/{name}/referrers/{digest}", methods: READ },
  token: { path: "/token", methods: ["GET", "POST"] },
};

/** @throws OciError `UNSUPPORTED` with 405 */
export function requireMethod(c: Context, endpoint: OciEndpoint): void {
  const { methods } = OCI_ENDPOINTS[endpoint];
  if (!methods.includes(c.req.method)) throw methodNotAllowed(c, methods.join(", "));
}
