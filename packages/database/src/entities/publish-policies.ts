import { defineEntity, p } from "@mikro-orm/core";
import { key, longText, time } from "./columns.ts";
import { NAME_LENGTH } from "./name-length.ts";

/** A build pipeline that may publish with ID tokens instead of a secret. */
export const PublishPolicy = defineEntity({
  name: "PublishPolicy",
  tableName: "host_publish_policies",
  properties: {
    id: key(36).primary(),
    /** `github`, `gitlab`, `azure-devops`, `circleci`, `kubernetes`, or `oidc`. */
    provider: key(32),
    issuer: key(255).index(),
    /** JSON: what the ID token must contain. */
    claims: longText(),
    /** JSON: ids that the first use pinned; null until then. */
    pinned: longText().nullable(),
    /** An unpinned policy ends then. */
    pinEndsAt: time().nullable(),
    /** The user or team that the policy publishes for. */
    ownerId: key(36).nullable().index(),
    createdBy: key(NAME_LENGTH.actor),
    /** The user that made it; the policy ends with that user's rights. */
    makerId: key(36).nullable().index(),
    /** JSON arrays. */
    protocols: longText(),
    patterns: longText(),
    scopes: longText(),
    /** Seconds that a token from it lives. */
    lifeSeconds: p.integer(),
    mayCreate: p.boolean(),
    /** JSON array of the triggers that are allowed in addition to the usual ones. */
    events: longText(),
    /** An audience that the build service fixes. */
    fixedAudience: key(255).nullable(),
    /** `active`, `pending` or `void`. */
    state: key(16),
    createdAt: time(),
    usedAt: time().nullable(),
  },
});

/** An ID token that gave a right, until it can no longer be used. */
export const UsedIdToken = defineEntity({
  name: "UsedIdToken",
  tableName: "host_used_id_tokens",
  properties: {
    /** SHA-256 of issuer and id, hex. */
    fingerprint: key(64).primary(),
    /** `nuget`, `npm` or `oci`. */
    surface: key(NAME_LENGTH.protocol).primary(),
    /** The name that the right is for; empty when for all of the policy. */
    subject: key(255).primary(),
    policyId: key(36),
    tokenId: key(36),
    /** The row is needed until then. */
    endsAt: time().index(),
  },
});
