import { sendBytes } from "@sealhouse/http-responses";
import { NpmError } from "../errors.ts";
import type { PackageName } from "../package-name.ts";
import type { NamedBlob } from "../npm-version.ts";
import { DOCUMENT_LIMITS } from "../publish/publish-document.ts";
import type { RequestPath } from "../request-path.ts";
import { STAGED_PER_PUBLISHER_MAX } from "../staging/ports.ts";
import type { StagedVersion, Staging } from "../staging/ports.ts";
import { stage } from "../staging/stage.ts";
import { publisherOf } from "../trust/publisher-actor.ts";
import { nameMirrored } from "../upstream/name-mirrored.ts";
import type { Call } from "./call.ts";
import { authorizeCall, isRead, json, methodUnknown, notFound } from "./call.ts";
import {
  nameReserved,
  noticeHeaders,
  publishRefused,
  tagsFull,
  uploadFrom,
} from "./change-package.ts";
import { pageIn } from "./page.ts";
import { requireStepUp } from "./step-up.ts";

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** `/-/stage` and everything below it. */
export async function answerStage(
  call: Call,
  { segments, name }: Extract<RequestPath, { readonly type: "endpoint" }>,
): Promise<Response> {
  if (name !== undefined) return only(call, "POST", () => stageVersion(call, name));
  const [, id, what, ...rest] = segments;
  if (id === undefined) return only(call, "GET", () => listStaged(call));
  if (rest.length > 0 || !UUID.test(id)) throw notStaged();
  const findStaged = () => requireStaged(call, id.toLowerCase());
  switch (what) {
    case undefined:
      if (call.c.req.method === "DELETE") return reject(call, await findStaged());
      return only(call, "GET", async () => json(call, documentOf(call, await findStaged())));
    case "tarball":
      return only(call, "GET", async () => sendTarball(call, await findStaged()));
    case "approve":
      return only(call, "POST", async () => approve(call, await findStaged()));
    default:
      throw notStaged();
  }
}

function only(
  call: Call,
  method: "GET" | "POST",
  answer: () => Promise<Response>,
): Promise<Response> {
  const usedMethod = isRead(call.c.req.method) ? "GET" : call.c.req.method;
  if (usedMethod !== method) throw methodUnknown(call.c, method);
  return answer();
}

/** `POST /-/stage/package/{package}` with the body of a publish. No second step is asked for: that
 * is what the approval is there for. */
async function stageVersion(call: Call, name: PackageName): Promise<Response> {
  const { ports, settings } = call;
  const caller = await authorizeCall(call, { action: "stage", name });
  const limits = DOCUMENT_LIMITS;
  const upload = uploadFrom(call, { name, caller, onRevision: false, limits });
  const outcome = await stage(ports, upload, {
    expiresAt: new Date(upload.publishedAt.getTime() + settings.stagedForMs),
    perPackage: settings.stagedPerPackage,
  });
  if (outcome.status === "staged" || outcome.status === "replayed") {
    const message = "Package version staged successfully.";
    return json(call, { message, stageId: outcome.id }, 201, noticeHeaders(outcome.notices));
  }
  throw stagingRefused(call, name, outcome);
}

type Refused = Exclude<Staging, { readonly status: "staged" | "replayed" }>;

function stagingRefused(
  { settings }: Call,
  name: PackageName,
  outcome: Refused & { readonly version: string },
): NpmError {
  const { version } = outcome;
  switch (outcome.status) {
    case "exists":
    case "deleted":
      return publishRefused(outcome.status, version);
    case "reserved":
      return nameReserved(name, outcome.until);
    case "waiting":
      return new NpmError(
        "forbidden",
        `${name}@${version} is staged already, by ${outcome.actor}, with other content or tags: ` +
          `approve or reject that first (npm stage list ${name} shows its id).`,
      );
    case "full":
      return new NpmError(
        "forbidden",
        `${settings.stagedPerPackage} versions of ${name} are staged, which is the most this ` +
          "registry keeps: approve or reject some (npm stage list).",
      );
    case "publisher-full":
      return new NpmError(
        "forbidden",
        `${STAGED_PER_PUBLISHER_MAX.toLocaleString("en")} versions that you staged wait, which ` +
          "is the most of one publisher: approve or reject some (npm stage list).",
      );
    case "crowded":
      return new NpmError(
        "forbidden",
        "The registry has reached its limit of staged versions: approve or reject " +
          "some (npm stage list).",
      );
  }
}

/** `GET /-/stage`: what the caller may stage, and so may see. */
async function listStaged(call: Call): Promise<Response> {
  await authorizeCall(call, { action: "stage" });
  const { page, perPage, start, end } = pageIn(call);
  const name = new URL(call.c.req.url).searchParams.get("package") ?? undefined;
  const all = await visible(call, await call.ports.staging.list(name));
  const items = all.slice(start, end).map((stagedVersion) => documentOf(call, stagedVersion));
  return json(call, { items, page, perPage, total: all.length });
}

async function visible(
  { c, ports }: Call,
  all: readonly StagedVersion[],
): Promise<readonly StagedVersion[]> {
  const seen = new Set<string>();
  for (const name of new Set(all.map((stagedVersion) => stagedVersion.name))) {
    const verdict = await ports.authorize(c.req.raw, c.env, { action: "stage", name });
    if (verdict.status === "granted") seen.add(name);
  }
  return all.filter(({ name }) => seen.has(name));
}

type StagedFile = StagedVersion & { readonly blob: NamedBlob };

/** Absent for callers who may not stage the name. */
async function requireStaged(call: Call, id: string): Promise<StagedFile> {
  const { c, ports } = call;
  await authorizeCall(call, { action: "stage" });
  const stagedVersion = await ports.staging.find(id);
  if (!stagedVersion) throw notStaged();
  const { name } = stagedVersion;
  const verdict = await ports.authorize(c.req.raw, c.env, { action: "stage", name });
  if (verdict.status !== "granted") throw notStaged();
  return stagedVersion;
}

function sendTarball({ c, ports }: Call, { blob }: StagedFile): Promise<Response> {
  return sendBytes(c, ports.content.open(blob), {
    contentType: "application/octet-stream",
    etag: blob.sha256,
    cacheControl: "no-store",
  });
}

/**
 * `POST /-/stage/{id}/approve`. The version gets its number, its tags and its signature only now,
 * so it may fail: the number may have been published in the meantime.
 */
async function approve(call: Call, { id, name, version }: StagedFile): Promise<Response> {
  const { ports, settings } = call;
  const caller = await authorizeCall(call, { action: "write", name });
  await requireStepUp(call, caller, "stage-approve");
  const details = await ports.staging.details(id);
  if (!details) throw notStaged();
  const source = await ports.upstream.shadowed(name);
  if (source !== undefined) throw nameMirrored(name, source);
  const release = { ...details, publishedAt: settings.now() };
  const outcome = await ports.recorder.release(id, release, caller);
  switch (outcome.status) {
    case "published": {
      ports.count("push");
      const message = "Package version approved and published successfully.";
      return json(call, { message }, 201);
    }
    case "exists":
    case "deleted":
      throw publishRefused(outcome.status, version);
    case "reserved":
      throw nameReserved(name, outcome.until);
    case "tags-full":
      throw tagsFull(name);
    case "mirrored":
      throw nameMirrored(name, outcome.source);
    case "absent":
      throw notStaged();
  }
}

/** `DELETE /-/stage/{id}` */
async function reject(call: Call, { id, name }: StagedFile): Promise<Response> {
  const caller = await authorizeCall(call, { action: "write", name });
  await requireStepUp(call, caller, "stage-reject");
  const outcome = await call.ports.staging.reject(id, caller);
  if (outcome === "absent") throw notStaged();
  return call.c.body(null, 204, { "cache-control": "no-store" });
}

function documentOf({ settings }: Pick<Call, "settings">, staged: StagedVersion) {
  const { id, name, version, tags, createdAt, expiresAt, actor, shasum } = staged;
  return {
    id,
    packageName: name,
    version,
    tag: tags.join(", "),
    createdAt: createdAt.toISOString(),
    actor,
    actorType: publisherOf(actor).trustedPublisher ? "trusted automation" : "user",
    access: settings.anonymousRead ? "public" : "private",
    shasum,
    status: "staged",
    expiresAt: expiresAt.toISOString(),
  };
}

function notStaged(): NpmError {
  return notFound(
    "No version is staged under this id: it was approved or rejected, has expired, or is of a " +
      "package that your token is not for.",
  );
}
