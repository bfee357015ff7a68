import type { Call } from "../call.ts";
import { queryOf } from "../call.ts";
import { OciError } from "../errors.ts";
import type { RepositoryRoute } from "../route.ts";

/**
 * Returns the route to the repository of the registry that a client named with `ns`, as containerd
 * does for mirrors. The response repeats the name in `OCI-Namespace`. Throws `NAME_UNKNOWN` if no
 * source is for that registry.
 */
export async function routeAtNamespace(
  call: Call,
  route: RepositoryRoute,
): Promise<RepositoryRoute> {
  const registry = namespaceOf(call);
  if (registry === undefined) return route;
  if (/^[\w.:-]{1,300}$/.test(registry)) call.c.header("oci-namespace", registry);
  const name = await call.registry.sources.repositoryAt(registry, route.name);
  if (name !== undefined) return { ...route, name };
  const message = "no source of this registry mirrors the registry that ns names";
  throw new OciError("NAME_UNKNOWN", { message, details: [{ ns: registry.slice(0, 300) }] });
}

/** Undefined without one, and for this registry itself. */
function namespaceOf(call: Call): string | undefined {
  if (!call.c.req.raw.url.includes("ns=")) return undefined;
  const registry = queryOf(call).get("ns");
  if (registry === null) return undefined;
  const { base } = call.registry.ports.address(call.c.req.raw, call.c.env);
  return new URL(base).host === registry.toLowerCase() ? undefined : registry;
}
