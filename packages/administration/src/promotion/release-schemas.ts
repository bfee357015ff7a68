import { z } from "zod";

const PROTOCOL = z.enum(["nuget", "npm", "oci"]);
const DIGESTS = z.strictObject({ sha256: z.string(), sha512: z.string() });

const MEMBER = z
  .strictObject({
    protocol: PROTOCOL,
    name: z.string(),
    version: z.string().describe("Of an image its digest."),
    size: z.int(),
    mediaType: z.string(),
    received: DIGESTS,
    sealed: DIGESTS.optional().describe("With the signature of this feed."),
    tags: z.array(z.string()),
  })
  .meta({ id: "ReleaseMember", title: "A version that is released" });

const BEFORE = z.strictObject({
  tags: z.record(z.string(), z.string().nullable()),
  manifests: z
    .record(z.string(), z.strictObject({ type: z.string(), bytes: z.string() }))
    .optional(),
});

const ITEM = z
  .strictObject({
    id: z.string(),
    target: z.string(),
    member: MEMBER,
    state: z.enum([
      "ready",
      "carried",
      "sending",
      "pending",
      "awaiting-approval",
      "published",
      "same",
      "pointed",
      "conflict",
      "refused",
      "failed",
      "undone",
      "stuck",
    ]),
    before: BEFORE.optional().describe("Tags at the target before the release."),
    wasThere: z.boolean(),
    attempts: z.int(),
    nextAt: z.iso.datetime().optional(),
    pendingSince: z.iso.datetime().optional(),
    stageId: z.string().optional(),
    served: DIGESTS.partial().optional(),
    note: z.string().optional(),
  })
  .meta({ id: "ReleaseItem", title: "A member of a release at one target" });

const HEAD = {
  id: z.string(),
  number: z.int().describe("Its number in its group, from 1."),
  group: z.string().describe("Name of the group, or of the syndication."),
  kind: z.enum(["promotion", "syndication"]),
  state: z.enum([
    "open",
    "frozen",
    "checked",
    "carrying",
    "publishing",
    "pointing",
    "undoing",
    "released",
    "failed",
    "rolled-back",
  ]),
  targets: z.array(z.string()),
  actor: z.string(),
  tokenId: z.string().optional(),
  createdAt: z.iso.datetime(),
  frozenAt: z.iso.datetime().optional(),
  pivotAt: z.iso.datetime().optional().describe("From then on it can no longer be undone."),
  attemptsSince: z.iso.datetime(),
  endedAt: z.iso.datetime().optional(),
  nextAt: z.iso.datetime().optional(),
  reason: z.string().optional().describe("Why it waits, failed or was undone."),
};

export const LISTED_RELEASE = z
  .strictObject(HEAD)
  .meta({ id: "ListedRelease", title: "A release without its members" });

export const RELEASE = z
  .strictObject({ ...HEAD, items: z.array(ITEM) })
  .meta({ id: "Release", title: "A release" });

/** A release as the API and commands show it. */
export type ShownRelease = z.output<typeof RELEASE>;
/** A release as lists show it. */
export type ListedRelease = z.output<typeof LISTED_RELEASE>;

const FINDING = z.union([
  z.strictObject({
    status: z.enum(["absent", "same"]),
    before: BEFORE,
    served: DIGESTS.partial().optional(),
    remark: z.string().optional(),
  }),
  z.strictObject({
    status: z.enum(["conflict", "refused", "failed", "unauthorized"]),
    reason: z.string(),
    retryAfterMs: z.number().optional(),
  }),
]);

const PLANNED = z.strictObject({ item: ITEM, finding: FINDING });

/** A member at a target, as the check before a release finds it. */
export type ShownPlannedItem = z.output<typeof PLANNED>;

/** The end of the wait for a release. */
export const RUN = z.strictObject({
  release: RELEASE.optional().describe("Absent: it could not be read."),
  continues: z.string().optional().describe("Its id, when it continues in the background."),
});

export const PROMOTED = RUN.extend({
  plan: z.array(PLANNED).optional().describe("Of a dry run: what each target would do."),
});

/** A release that ran, and whether it continues. */
export type ReleaseRun = z.output<typeof RUN>;
/** The outcome of `promote`: a release, or the plan of a dry run. */
export type Promoted = z.output<typeof PROMOTED>;

export const STATEMENT = z
  .strictObject({
    statement: z.string().describe("in-toto, JSON; these bytes are signed."),
    envelopeSignature: z.string(),
    plainSignature: z.string(),
    keyId: z.string(),
    publicKey: z.string(),
  })
  .meta({ id: "SignedStatement", title: "A signed statement of a release" });
