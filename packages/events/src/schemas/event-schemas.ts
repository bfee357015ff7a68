import type { EventType } from "../event.ts";
import { KINDS } from "./kinds.ts";
import type { EventSchema } from "./event-schema.ts";
import type { JsonSchema } from "./json-schema.ts";
import { PACKAGE_SCHEMAS } from "./package-schemas.ts";
import { OWNED_NAME, PACKAGE } from "./event-schema.ts";

const { text, texts, time, count, flag, object, oneOf, yes, salted } = KINDS;
const pipeline = {
  provider: text,
  issuer: text,
  claims: { type: "object" },
  protocols: texts,
  patterns: texts,
  scopes: texts,
} as const;
const switches = { enabled: flag, includesPrivate: flag, allowsPrivateNetwork: flag };
const subscription = { receiver: text, events: texts, format: text, ...switches };

const releaseDetail = object(
  { release: text, number: count, targets: texts, members: texts },
  { reason: text, syndication: text },
);

/** The schemas of all event types. */
export const EVENT_SCHEMAS: Readonly<Record<EventType, EventSchema>> = {
  ...PACKAGE_SCHEMAS,
  "group.promoted": {
    about: "A release of a group ended.",
    subject: "`group/name`",
    detail: releaseDetail,
  },
  "promotion.failed": {
    about: "A release of a group failed.",
    subject: "`group/name`",
    detail: releaseDetail,
  },
  "syndication.failed": {
    about: "A package could not be sent to a target.",
    subject: "`group/name`",
    detail: releaseDetail,
  },
  "token.created": {
    about:
      "An API token was created. `trustedPublisher` has the pipeline's id, and the claims of the " +
      "build job.",
    subject: "`token/id`",
    detail: object(
      { name: text, scopes: texts, protocols: texts, patterns: texts, networks: texts },
      {
        owner: text,
        parentId: text,
        expiresAt: time,
        replaces: text,
        trustedPublisher: { type: "object" },
      },
    ),
  },
  "token.replaced": {
    about: "An API token got a successor.",
    subject: "`token/id`",
    detail: object({ replacement: text }),
  },
  "token.revoked": { about: "An API token was revoked.", subject: "`token/id`", detail: null },
  "token.expires": {
    about: "An API token expires in 7 or 3 days, or has expired. `days` is 7, 3 or 0.",
    subject: "`token/id`",
    detail: object({ name: text, days: count, expiresAt: time }, { owner: text }),
  },
  "token.leaked": {
    about: "A secret scanner, or its holder, reported an API token. It was revoked.",
    subject: "`token/id`",
    detail: object({}, { source: text, url: text }),
  },
  "passkey.changed": {
    about: "A user added or removed a passkey. `change` is `added` or `removed`.",
    subject: "`user/id`",
    detail: object({ change: text, name: text }),
  },
  "user.signed-in": {
    about: "A person signed in, or a sign-in of npm was approved.",
    subject: "`user/handle`, `token/id` or `login/code`",
    detail: oneOf(
      object({ owner: text }),
      object({ issuer: text, account: text }),
      object({ method: text }),
    ),
  },
  "user.signed-out": {
    about: "A session of a browser was ended, or all of a user.",
    subject: "`user/handle` or `token/id`",
    detail: oneOf({ type: "null" }, object({ everywhere: yes })),
  },
  "user.refused": {
    about: "A person could not sign in or confirm an action, or a sign-in of npm was denied.",
    subject: "`user/handle`, `token/id`, `account/name`, `provider/name` or `login/code`",
    detail: oneOf({ type: "null" }, object({ code: text, reason: text }, { account: text })),
  },
  "user.changed": {
    about:
      "A user was added, or its role or state changed. `lastAdministrator`: no active " +
      "administrator is left.",
    subject: "`user/handle`",
    detail: object(
      { change: text },
      { role: text, state: text, reason: text, lastAdministrator: yes },
    ),
  },
  "team.changed": {
    about: "A team was added or changed, or its members changed.",
    subject: "`team/handle`",
    detail: object(
      { change: text },
      { displayName: text, groupRef: text, user: text, level: text },
    ),
  },
  "account.changed": {
    about: "A service account was added, or its state or team changed.",
    subject: "`account/name`",
    detail: object({ change: text }, { state: text, team: text }),
  },
  "source.changed": {
    about: "A package source was added, changed or removed.",
    subject: "the name of the source",
    detail: oneOf(object({ protocol: text, url: text, enabled: flag }), object({ removed: yes })),
  },
  "access.refused": {
    about:
      "A request was refused. Equal refusals of a caller have one event a minute; the event of " +
      "the subject `registry` counts those without one.",
    subject: "`npm/name`, a protocol, `administration` or `registry`",
    detail: object({ reason: text }, { action: text }),
  },
  "access.would-refuse": {
    about: "A request that `Host__Access__Owners=enforce` would refuse was allowed.",
    subject: OWNED_NAME,
    detail: object({ action: text, reason: text }),
  },
  "reservation.changed": {
    about: "A name or a prefix was reserved for an owner, or is no longer.",
    subject: "`nuget/acme.*` or a name",
    detail: object({ change: text, owner: text }),
  },
  "transfer.changed": {
    about: "A name was offered to an owner, or the offer was decided.",
    subject: OWNED_NAME,
    detail: object({ change: text, to: text, level: text }),
  },
  "name.reserved": {
    about: "A name is kept for packages of this registry.",
    subject: "`npm/name`",
    detail: null,
  },
  "name.released": {
    about: "A name is no longer mirrored or reserved.",
    subject: "`npm/name`",
    detail: oneOf({ type: "null" }, object({ source: text })),
  },
  "policy.admitted": {
    about: "A version was admitted although a rule held it back.",
    subject: PACKAGE,
    detail: { type: "object" },
  },
  "pipeline.changed": {
    about:
      "A policy of build jobs was added, removed or became void. `set` is the salted digest of " +
      "the policy; of nothing, when it is removed.",
    subject: "`pipeline/` and the id of the policy",
    detail: object({ change: text, ...pipeline, state: text }, { owner: text, set: salted }),
  },
  "policy.changed": {
    about: "A rule about versions was added or removed.",
    subject: "the id of the rule",
    detail: oneOf(
      object(
        {
          effect: text,
          protocol: text,
          pattern: text,
          versions: text,
          conditions: { type: "object" },
          reason: text,
        },
        { until: time },
      ),
      object({ removed: yes }),
    ),
  },
  "target.changed": {
    about: "A publish target was added, changed, paused, resumed or removed.",
    subject: "the name of the target",
    detail: oneOf(
      object({ protocol: text, endpoint: text }),
      object({ removed: yes }),
      object({ paused: flag }, { reason: text }),
    ),
  },
  "release.changed": {
    about: "An operator continued a release, or took it back.",
    subject: "`group/name`",
    detail: object({ release: text, change: text }, { reason: text }),
  },
  "group.changed": {
    about: "A group of packages was added, changed or removed.",
    subject: "the name of the group",
    detail: oneOf(object({ members: { type: "array" }, targets: texts }), object({ removed: yes })),
  },
  "syndication.changed": {
    about: "A syndication was added, changed or removed.",
    subject: "the name of the syndication",
    detail: { type: "object" },
  },
  "certificate.created": {
    about: "A signing certificate was created or loaded.",
    subject: "`certificate/fingerprint`",
    detail: object({ subject: text, issuer: text, notAfter: time, signsFrom: time }),
  },
  "certificate.retired": {
    about: "A signing certificate was retired.",
    subject: "`certificate/fingerprint`",
    detail: object({ subject: text }),
  },
  "npm-key.created": {
    about: "A key of npm signatures was created.",
    subject: "`npm-key/id`",
    detail: oneOf({ type: "null" }, object({ replaced: texts, expiresAt: time })),
  },
  "npm-key.revoked": {
    about: "A key of npm signatures was revoked.",
    subject: "`npm-key/id`",
    detail: null,
  },
  "hold.changed": {
    about: "An administrator protected a digest from deletion, or ended that.",
    subject: "`oci/digest`",
    detail: object({ change: text }, { until: text }),
  },
  "gc.completed": {
    about: "A garbage collection of images ended.",
    subject: "`oci/segment`",
    detail: object(
      {
        run: count,
        surface: text,
        state: text,
        candidates: count,
        candidateBytes: count,
        removed: count,
        removedBytes: count,
      },
      { error: text },
    ),
  },
  "retention.completed": {
    about: "Retention rules were applied.",
    subject: "`nuget` or `oci`",
    detail: object(
      { dryRun: flag, candidates: count, removed: count },
      { action: text, packages: count, repositories: count },
    ),
  },
  "blob.damaged": {
    about: "The bytes of a file are missing or changed.",
    subject: "`protocol/digest`",
    detail: object({ size: count, problem: text }, { versions: texts, repositories: texts }),
  },
  "blob.restored": {
    about: "The bytes of a damaged file are whole again.",
    subject: "`protocol/digest`",
    detail: object({ size: count }),
  },
  "settings.changed": {
    about: "Something that settings describe changed, such as the key ring.",
    subject: "the setting",
    detail: { type: "object" },
  },
  "webhook.changed": {
    about: "A webhook was added, changed, disabled or removed. A test has `change` alone.",
    subject: "`webhook/id`",
    detail: object({ change: text }, { ...subscription, reason: text }),
  },
};

/** The whole JSON Schema of the `data` of a CloudEvent, for a type. */
export function dataSchemaOf(type: EventType): JsonSchema & { readonly $id: string } {
  const { detail } = EVENT_SCHEMAS[type];
  const { type: _, ...data } = object(
    { actor: text, ...(detail && !isOptional(detail) && { detail }) },
    { tokenId: text, requestId: text, ...(detail && isOptional(detail) && { detail }) },
  );
  return { $id: `urn:sealhouse:event:${type}:v1`, type: "object", ...data };
}

function isOptional({ anyOf = [] }: JsonSchema): boolean {
  return anyOf.some(({ type }) => type === "null");
}
