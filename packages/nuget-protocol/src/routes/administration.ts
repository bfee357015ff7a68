import type { Caller } from "@sealhouse/request-types";
import { readBody } from "@sealhouse/http-responses";
import type { Context, Hono } from "hono";
import { requireNamed } from "../require-access.ts";
import { parseDeprecationBody } from "../deprecation-request.ts";
import type { DeprecationRequest } from "../deprecation-request.ts";
import { NuGetError } from "../errors.ts";
import { isPackageId, lowerId } from "../notation/package-id.ts";
import { lowerVersion } from "../notation/package-version.ts";
import type { Action, NuGetPorts } from "../ports.ts";

/** Enough for a thousand versions and a message in any script. */
const BODY_BYTES_MAX = 256 * 1024;

const DEPRECATIONS = "/api/v2/package/:id/deprecations";

/** Operations without a command in NuGet clients: deprecation, and numbers of deleted versions. */
export function mountAdministration(
  app: Hono,
  ports: NuGetPorts,
  { isReadOnlyMode }: { readonly isReadOnlyMode: boolean },
): void {
  const refuseReadOnly = () => {
    if (isReadOnlyMode) throw new NuGetError("read-only");
  };

  app.put(DEPRECATIONS, async (c) => {
    refuseReadOnly();
    const named = await callerFor(ports, c, "write");
    const request = readRequest(await readBody(c, BODY_BYTES_MAX), c, "sets");
    return deprecate(c, named, request);
  });

  app.delete(DEPRECATIONS, async (c) => {
    refuseReadOnly();
    const named = await callerFor(ports, c, "write");
    const request = readRequest(await readBody(c, BODY_BYTES_MAX), c, "lifts");
    return deprecate(c, named, request);
  });

  app.get("/api/v2/package/:id/tombstones", async (c) => {
    const { id, lifecycle } = await callerFor(ports, c, "write");
    const tombstones = await lifecycle.tombstones(id);
    return c.json({ id, tombstones });
  });

  app.delete("/api/v2/package/:id/:version/tombstone", async (c) => {
    refuseReadOnly();
    const { id, caller, lifecycle } = await callerFor(ports, c, "admin");
    const version = lowerVersion(c.req.param("version"));
    const outcome = version && (await lifecycle.allowReuse(id, version, caller));
    if (outcome !== "allowed") {
      throw new NuGetError("not-found", { problems: ["No deleted version has this number."] });
    }
    return c.body(null, 204);
  });
}

type NamedChange = Pick<NuGetPorts, "lifecycle"> & {
  /** Lower-cased. */
  readonly id: string;
  readonly caller: Caller;
};

/** Who asks, and for which package. */
async function callerFor(ports: NuGetPorts, c: Context, action: Action): Promise<NamedChange> {
  const idText = c.req.param("id") ?? "";
  const name = isPackageId(idText) ? lowerId(idText) : undefined;
  const named = await requireNamed(ports, c, { action, ...(name !== undefined && { name }) });
  if (name === undefined) throw new NuGetError("not-found");
  return { id: name, caller: named.caller, lifecycle: named.ports.lifecycle };
}

function readRequest(body: Uint8Array, c: Context, does: "sets" | "lifts"): DeprecationRequest {
  const outcome = parseDeprecationBody(body, {
    does,
    contentType: c.req.header("content-type"),
    query: new URL(c.req.url).searchParams,
  });
  if (outcome.status === "read") return outcome.request;
  throw new NuGetError("invalid-request", { problems: outcome.problems });
}

async function deprecate(
  c: Context,
  { id, caller, lifecycle }: NamedChange,
  { versions, deprecation }: DeprecationRequest,
): Promise<Response> {
  const changed = await lifecycle.deprecate(id, versions, deprecation, caller);
  if (!changed) {
    throw new NuGetError("not-found", { problems: ["Nothing was changed."] });
  }
  return c.json({ id, changed });
}
