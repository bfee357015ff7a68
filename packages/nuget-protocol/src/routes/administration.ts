import type { Caller } from "@sealhouse/request-types";
import { readBody } from "@sealhouse/http-responses";
import type { Context, Hono } from "hono";
import { requireChange } from "../require-access.ts";
import { parseDeprecationBody } from "../deprecation-request.ts";
import type { DeprecationRequest } from "../deprecation-request.ts";
import { NuGetError } from "../errors.ts";
import { isPackageId, lowerId } from "../notation/package-id.ts";
import { lowerVersion } from "../notation/package-version.ts";
import type { Action, NuGetPorts } from "../ports.ts";

type AdministrationPorts = Pick<NuGetPorts, "authorize" | "lifecycle">;

/** Enough for a thousand versions and a message in any script. */
const BODY_BYTES_MAX = 256 * 1024;

const DEPRECATIONS = "/api/v2/package/:id/deprecations";

/** Operations without a command in NuGet clients: deprecation, and numbers of deleted versions. */
export function mountAdministration(
  app: Hono,
  ports: AdministrationPorts,
  { isReadOnlyMode }: { readonly isReadOnlyMode: boolean },
): void {
  const refuseReadOnly = () => {
    if (isReadOnlyMode) throw new NuGetError("read-only");
  };

  app.put(DEPRECATIONS, async (c) => {
    refuseReadOnly();
    const { id, caller } = await callerFor(ports, c, "write");
    const request = readRequest(await readBody(c, BODY_BYTES_MAX), c, "sets");
    return deprecate(c, ports, { id, request, caller });
  });

  app.delete(DEPRECATIONS, async (c) => {
    refuseReadOnly();
    const { id, caller } = await callerFor(ports, c, "write");
    const request = readRequest(await readBody(c, BODY_BYTES_MAX), c, "lifts");
    return deprecate(c, ports, { id, request, caller });
  });

  app.get("/api/v2/package/:id/tombstones", async (c) => {
    const { id, caller } = await callerFor(ports, c, "write");
    const tombstones = caller ? await ports.lifecycle.tombstones(id) : [];
    return c.json({ id, tombstones });
  });

  app.delete("/api/v2/package/:id/:version/tombstone", async (c) => {
    refuseReadOnly();
    const { id, caller } = await callerFor(ports, c, "admin");
    const version = lowerVersion(c.req.param("version"));
    const outcome = caller && version && (await ports.lifecycle.allowReuse(id, version, caller));
    if (outcome !== "allowed") {
      throw new NuGetError("not-found", { problems: ["No deleted version has this number."] });
    }
    return c.body(null, 204);
  });
}

/** Who asks, and for which package, lower-cased. No caller when the package is hidden from it. */
async function callerFor(
  ports: AdministrationPorts,
  c: Context,
  action: Action,
): Promise<{ readonly id: string; readonly caller: Caller | undefined }> {
  const idText = c.req.param("id") ?? "";
  const name = isPackageId(idText) ? lowerId(idText) : undefined;
  const caller = await requireChange(ports, c, { action, ...(name !== undefined && { name }) });
  if (name === undefined) throw new NuGetError("not-found");
  return { id: name, caller };
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
  { lifecycle }: AdministrationPorts,
  what: {
    readonly id: string;
    readonly request: DeprecationRequest;
    readonly caller: Caller | undefined;
  },
): Promise<Response> {
  const { id, request, caller } = what;
  const { versions, deprecation } = request;
  const changed = caller && (await lifecycle.deprecate(id, versions, deprecation, caller));
  if (!changed) {
    throw new NuGetError("not-found", { problems: ["Nothing was changed."] });
  }
  return c.json({ id, changed });
}
