import type { Digest } from "@sealhouse/oci-distribution";
import { z } from "zod";
import { defineAction } from "../action.ts";
import { field } from "../field.ts";
import { readText } from "../names/name-fields.ts";
import { PAGE_FIELDS, pageOf, pageSchema } from "../paging.ts";
import { textField } from "../promotion/fields.ts";
import { absent, conflict, RefusedActionError } from "../refusal.ts";
import { shown } from "../shown.ts";

const HOLDS_MAX = 10_000;
/** Each digest has its own holder, so that one hold can be released without the others. */
const HOLDER = "operator:";

const COMMON = { scope: "storage:write", form: { page: "/administration/actions" } } as const;
const DIGEST = textField(200, "Digest", "The digest of a manifest or a blob: sha256:….");

const HOLD = z
  .strictObject({
    digest: z.string(),
    holder: z.string().describe("Who holds it; `operator` for holds of administrators."),
    until: z.iso.datetime().optional(),
  })
  .meta({ id: "Hold", title: "A digest that nothing deletes" });

/** A hold as the API and commands show it. */
export type ShownHold = z.output<typeof HOLD>;

const addHold = defineAction({
  ...COMMON,
  id: "images.hold",
  summary: "protect a digest from deletion and garbage collection",
  method: "PUT",
  path: "/images/holds/{digest}",
  command: "oci hold add <digest>",
  input: z.strictObject({
    digest: DIGEST,
    until: field(
      z.string().max(40).default("never"),
      "Until",
      "End of the hold: a span (90d, 12h, 1y), a date, or never.",
      { option: "--until <when>" },
    ),
  }),
  output: HOLD,
  refusals: [],
  lasting: "change-packages",
  async run({ input, parts, caller, now }) {
    const { parseExpiry } = await import("@sealhouse/identity");
    const digest = await digestIn(input.digest);
    const until = readText(() => parseExpiry(input.until, now), "until");
    await (await parts.content()).oci.holds.hold([digest], HOLDER + digest, until, caller);
    return shown({ digest, holder: "operator", ...(until && { until }) });
  },
});

const listHolds = defineAction({
  ...COMMON,
  id: "images.list-holds",
  summary: "list protected digests",
  method: "GET",
  path: "/images/holds",
  command: "oci hold list",
  input: z.strictObject(PAGE_FIELDS),
  output: pageSchema(HOLD),
  refusals: [],
  async run({ input, parts }) {
    const holds = await (await parts.content()).oci.holds.list(HOLDS_MAX);
    return pageOf(holds.map(shown), input, ({ digest, holder }) => `${digest} ${holder}`);
  },
});

const removeHold = defineAction({
  ...COMMON,
  id: "images.release-hold",
  summary: "remove the protection of a digest",
  method: "DELETE",
  path: "/images/holds/{digest}",
  command: "oci hold remove <digest>",
  input: z.strictObject({ digest: DIGEST }),
  output: z.strictObject({ digest: z.string() }),
  refusals: [],
  lasting: "change-packages",
  async run({ input, parts, caller }) {
    const digest = await digestIn(input.digest);
    await (await parts.content()).oci.holds.release(HOLDER + digest, { digest, caller });
    return { digest };
  },
});

const forget = defineAction({
  ...COMMON,
  id: "images.forget",
  summary: "free the name of a repository that has no manifests",
  method: "DELETE",
  path: "/images/repositories/{name}",
  command: "oci forget <name>",
  input: z.strictObject({ name: textField(255, "Repository", "Such as team/app.") }),
  output: z.strictObject({ name: z.string() }),
  refusals: ["absent", "conflict"],
  lasting: "delete-permanently",
  async run({ input: { name }, parts, caller }) {
    const { isRepositoryName } = await import("@sealhouse/oci-distribution");
    if (!isRepositoryName(name)) {
      throw invalid(`${JSON.stringify(name)} is not the name of a repository.`);
    }
    const outcome = await (await parts.content()).oci.forget(name, caller);
    if (outcome === "absent") throw absent(`Nothing is known of ${name}.`);
    if (outcome === "forgotten") return { name };
    throw conflict(
      `${name} has manifests. Delete them, those without a tag too. If views as of a time keep ` +
        "deleted images, run `sealhouse oci gc --apply` later. Then repeat this command.",
    );
  },
});

/** Digests that nothing deletes, and names without images. */
export const HOLD_ACTIONS = [addHold, listHolds, removeHold, forget];

async function digestIn(text: string): Promise<Digest> {
  const { isDigest } = await import("@sealhouse/oci-distribution");
  if (isDigest(text)) return text;
  throw invalid(
    `${JSON.stringify(text)} is not a digest. Digests are like sha256:<64 lower-case hex digits>.`,
  );
}

function invalid(message: string): RefusedActionError {
  return new RefusedActionError("invalid", message);
}
