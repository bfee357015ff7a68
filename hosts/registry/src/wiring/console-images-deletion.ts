import type { Caller } from "@sealhouse/request-types";
import { createHmac, timingSafeEqual } from "node:crypto";
import type {
  DeletionAnswer,
  Doomed,
  DoomedAnswer,
  From,
  ImageNamed,
  ImagesPorts,
} from "@sealhouse/console";
import type { ShownManifest } from "@sealhouse/oci-distribution";
import { createPackageAuthorize } from "@sealhouse/identity";
import type { ConsoleImagesParts } from "./console-images-parts.ts";
import { attachedTo, findShown, nearNames, refusalOf } from "./console-images.ts";

const PROOF_LIFETIME_MS = 60 * 60 * 1_000;
const COUNTED_MAX = 100;

type Named = Required<ImageNamed>;

/**
 * Deleting in two steps. A browser sends the token it was given with every request, whoever's page
 * made it: so the page that asks hands out a proof, which only its reader sees, and which holds for
 * an hour, for this token and for what the page showed.
 */
export function imageDeletion(parts: ConsoleImagesParts): Pick<ImagesPorts, "doomed" | "remove"> {
  return {
    doomed: async (from, named) =>
      (await refusalOf(parts, from, "delete", named.repository)) ??
      doomedAnswer(parts, from, named),
    remove: (from, named, proof) => removalAnswer(parts, from, { named, proof }),
  };
}

async function doomedAnswer(
  parts: ConsoleImagesParts,
  from: From,
  named: Named,
): Promise<DoomedAnswer> {
  const found = await findShown(parts, named);
  if (!found) return absent(parts, from, named);
  const { name, manifest } = found;
  const { browsing } = parts.database.oci;
  const { digest, tags, tagCount } = manifest;
  const attached = await attachedTo(parts, name, digest);
  const parents = await browsing.parents(name, digest, COUNTED_MAX);
  const caller = await callerOf(parts, from, named);
  const until = parts.rules.now().getTime() + PROOF_LIFETIME_MS;
  const doomed: Doomed = {
    repository: name,
    digest,
    tag: named.reference === digest ? undefined : named.reference,
    tags: { total: tagCount, names: tags },
    attachedTotal: attached.total,
    parentCount: parents.length,
    proof: proofOf(parts, { caller, named, manifest, until }),
  };
  return { status: "found", doomed };
}

async function removalAnswer(
  parts: ConsoleImagesParts,
  from: From,
  { named, proof }: { readonly named: Named; readonly proof: string },
): Promise<DeletionAnswer> {
  const refusal = await refusalOf(parts, from, "delete", named.repository);
  if (refusal) return refusal;
  const found = await findShown(parts, named);
  if (!found) return absent(parts, from, named);
  const { name, manifest } = found;
  const caller = await callerOf(parts, from, named);
  if (!isProven(parts, { caller, named, manifest, proof })) return { status: "stale" };
  const { manifests } = parts.database.oci;
  const { digest } = manifest;
  const outcome =
    named.reference === digest
      ? await manifests.deleteManifest(name, digest, caller)
      : await manifests.deleteTag(name, named.reference, caller);
  if (typeof outcome === "object") return outcome;
  return outcome === "absent" ? absent(parts, from, named) : { status: outcome };
}

async function absent(parts: ConsoleImagesParts, from: From, { repository }: Named) {
  return { status: "absent", near: await nearNames(parts, from, repository) } as const;
}

/** Who may delete, for the event that says who did. */
async function callerOf(
  { rules }: ConsoleImagesParts,
  { request, env }: From,
  { repository }: Named,
): Promise<Caller> {
  const wanted = { action: "delete", name: repository } as const;
  const verdict = await createPackageAuthorize(rules, "oci")(request, env, wanted);
  if (verdict.status !== "granted") throw new Error(`deletion is ${verdict.status} by now`);
  return verdict.caller;
}

type Proven = {
  readonly caller: Caller;
  readonly named: Named;
  readonly manifest: Pick<ShownManifest, "digest">;
};

/** `<when it ends>.<code>`. */
function proofOf(
  { pepper }: Pick<ConsoleImagesParts, "pepper">,
  { caller, named, manifest, until }: Proven & { readonly until: number },
): string {
  const { actor, tokenId = "" } = caller;
  const { repository, reference } = named;
  const said = ["image-deletion", actor, tokenId, repository, reference, manifest.digest, until];
  const code = createHmac("sha256", pepper).update(JSON.stringify(said)).digest("base64url");
  return `${until}.${code}`;
}

function isProven(
  parts: ConsoleImagesParts,
  { proof, ...proven }: Proven & { readonly proof: string },
): boolean {
  const [, digits] = /^(\d{1,15})\./.exec(proof) ?? [];
  const until = Number(digits ?? 0);
  if (until <= parts.rules.now().getTime()) return false;
  const expected = Buffer.from(proofOf(parts, { ...proven, until }));
  const given = Buffer.from(proof);
  return given.length === expected.length && timingSafeEqual(given, expected);
}
