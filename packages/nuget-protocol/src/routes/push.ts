import type { Context, Hono } from "hono";
import { requireAccess, requireNamed } from "../require-access.ts";
import { NuGetError } from "../errors.ts";
import { isPackageId, lowerId } from "../notation/package-id.ts";
import type { NuGetPorts } from "../ports.ts";
import type { Overwrites, PublishOutcome } from "../push/publish.ts";
import { addWarnings } from "../respond.ts";
import { deleteVersion, setListed } from "../unlist.ts";
import { uploadOf } from "./upload.ts";

export type PushOptions = {
  readonly isReadOnlyMode: boolean;
  readonly maxPackageBytes: number | undefined;
  readonly overwrites: Overwrites;
  readonly deletion: Deletion;
  readonly now: () => Date;
};

/** Effect of `DELETE`: hides the version from search, or deletes it permanently. */
export type Deletion = "unlist" | "delete";

/** Push, delete and relist. */
export function mountPush(app: Hono, ports: NuGetPorts, options: PushOptions): void {
  const refuseReadOnly = () => {
    if (options.isReadOnlyMode) throw new NuGetError("read-only");
  };

  // Clients add the slash.
  app.on("PUT", ["/api/v2/package", "/api/v2/package/"], async (c) => {
    refuseReadOnly();
    return answerOutcome(c, await receivePackage(c, ports, options), ports);
  });

  app.on(["DELETE", "POST"], "/api/v2/package/:id/:version", async (c) => {
    refuseReadOnly();
    const listed = c.req.method === "POST";
    const { id, version } = c.req.param();
    const gone = !listed && options.deletion === "delete";
    const action = listed ? "write" : gone ? "delete" : "unlist";
    const named = await requireNamed(ports, c, {
      action,
      ...(isPackageId(id) && { name: lowerId(id) }),
    });
    const { caller } = named;
    const outcome = gone
      ? await deleteVersion(named.ports.lifecycle, { id, version }, caller)
      : await setListed(named.ports.recorder, { id, version }, listed, caller);
    if (outcome === "absent") throw new NuGetError("not-found");
    return c.body(null, listed ? 200 : 204);
  });
}

async function receivePackage(
  c: Context,
  ports: NuGetPorts,
  { maxPackageBytes, overwrites, now }: PushOptions,
): Promise<PublishOutcome> {
  const caller = await requireAccess(ports, c, { action: "publish" });
  const body = uploadOf(c, maxPackageBytes);
  // Large, and only a push needs it.
  const { packageBytes, publish } = await import("../package.ts");
  return publish(ports, {
    body: packageBytes(body, c.req.header("content-type")),
    caller,
    now: now(),
    maxBytes: maxPackageBytes,
    overwrites,
    async allow(id) {
      const publisher = await requireAccess(ports, c, { action: "publish", name: lowerId(id) });
      const source = await ports.upstream.shadowed(lowerId(id));
      if (source !== undefined) throw mirroredFrom({ id, source });
      return publisher;
    },
  });
}

function answerOutcome(c: Context, outcome: PublishOutcome, { count }: NuGetPorts): Response {
  switch (outcome.status) {
    case "published":
      count("push");
      addWarnings(c, outcome.warnings);
      return c.body(null, 201);
    case "exists":
      throw new NuGetError("exists", {
        problems: [`${outcome.id} ${outcome.version} is in this feed and cannot be replaced.`],
      });
    case "deleted":
      throw deletedBefore(outcome);
    case "mirrored":
      throw mirroredFrom(outcome);
    case "invalid":
      throw new NuGetError("invalid", { problems: outcome.problems });
    case "refused":
      throw new NuGetError("refused", { problems: [outcome.reason] });
    case "failed": {
      const { reason, retryAfterSeconds } = outcome;
      const code = retryAfterSeconds === undefined ? "signing-failed" : "signing-later";
      throw new NuGetError(code, { problems: [reason], retryAfterSeconds });
    }
  }
}

function mirroredFrom({
  id,
  source,
}: Pick<Extract<PublishOutcome, { readonly status: "mirrored" }>, "id" | "source">): NuGetError {
  return new NuGetError("mirrored", {
    problems: [
      `${id} comes from the package source "${source}", so it cannot be published here.`,
      `An administrator can change that: sealhouse source release nuget ${id}`,
    ],
  });
}

function deletedBefore({
  id,
  version,
  deletedAt,
}: Extract<PublishOutcome, { readonly status: "deleted" }>): NuGetError {
  const day = deletedAt.toISOString().slice(0, 10);
  return new NuGetError("deleted", {
    problems: [
      `${id} ${version} was deleted on ${day}, and its number is not taken again by accident.`,
      `Push another version, or have an administrator allow it: ` +
        `sealhouse package allow-reuse ${id} ${version}, ` +
        `or DELETE /api/v2/package/${id}/${version}/tombstone.`,
    ],
  });
}
