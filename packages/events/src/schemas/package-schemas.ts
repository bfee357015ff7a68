import type { EventType } from "../event.ts";
import type { EventSchema } from "./event-schema.ts";
import { KINDS } from "./kinds.ts";
import { NPM_NAME, OWNED_NAME, PACKAGE } from "./event-schema.ts";

const { text, texts, count, sha256, sha512, object, oneOf, yes, salted } = KINDS;
const stage = { stageId: text, stagedBy: text };

/** The schemas of events about packages, images and their names. */
export const PACKAGE_SCHEMAS = {
  "package.published": {
    about:
      "A version, or an image, was published. An image without a tag has its digest. NuGet: " +
      "`contentHash` is the base64 SHA-512 without any signature, `servedSha256` that of the " +
      "file that clients get. Later digests come in `package.hashed`.",
    subject: PACKAGE,
    detail: oneOf(
      object(
        { size: count, sha256 },
        {
          tags: texts,
          integrity: text,
          contentHash: sha512,
          servedSha256: sha256,
          ...stage,
          signedBy: text,
          replaced: yes,
          replacedSha256: sha256,
        },
      ),
      object({ size: count, digest: text, mediaType: text }, { origin: text }),
    ),
  },
  "package.staged": {
    about: "A version waits for approval.",
    subject: PACKAGE,
    detail: object({ stageId: text, size: count, sha256 }, { tags: texts }),
  },
  "package.stage-rejected": {
    about: "A waiting version was rejected.",
    subject: PACKAGE,
    detail: object(stage),
  },
  "package.stage-expired": {
    about: "A waiting version expired, or its token did.",
    subject: PACKAGE,
    detail: object(stage),
  },
  "package.unlisted": {
    about: "A version was hidden from search.",
    subject: PACKAGE,
    detail: null,
  },
  "package.relisted": { about: "A version is in search again.", subject: PACKAGE, detail: null },
  "package.deleted": {
    about: "A version, a tag or a manifest was deleted.",
    subject: PACKAGE,
    detail: oneOf(
      { type: "null" },
      object({ size: count, sha256 }),
      object({ digest: text, retention: text }),
    ),
  },
  "package.erased": {
    about: "The kept contents of a deleted version were erased.",
    subject: PACKAGE,
    detail: null,
  },
  "package.reuse-allowed": {
    about: "The number of a deleted version may be used again.",
    subject: PACKAGE,
    detail: null,
  },
  "package.deprecated": {
    about: "An owner warned of a version, or lifted the warning.",
    subject: PACKAGE,
    detail: oneOf(
      object({ lifted: yes }),
      object(
        {},
        {
          message: text,
          reasons: texts,
          alternatePackage: object({ id: text }, { range: text }),
        },
      ),
    ),
  },
  "package.tagged": {
    about: "A dist-tag was set or removed.",
    subject: NPM_NAME,
    detail: oneOf(
      object({ distTag: text, version: text }),
      object({ distTag: text, removed: yes }),
    ),
  },
  "package.owners-changed": {
    about:
      "The owners of a name, or the maintainers of a package, changed. `set` is the salted " +
      "digest of the new ones.",
    subject: OWNED_NAME,
    detail: object(
      { maintainers: texts },
      { levels: { type: "object" }, before: { type: "object" }, transfer: text, set: salted },
    ),
  },
  "package.access-changed": {
    about: "Other callers may see a package or a repository now.",
    subject: "`protocol/name`",
    detail: object({ access: text }),
  },
  "package.trust-changed": {
    about:
      "A trusted publisher was added or removed. `set` is the salted digest of all that the " +
      "package has now.",
    subject: NPM_NAME,
    detail: object(
      { change: text, id: text, provider: text, issuer: text, claims: { type: "object" } },
      { permissions: texts, set: salted },
    ),
  },
  "package.signed": {
    about: "A stored package got a signature of the registry.",
    subject: "`nuget/Id@version`",
    detail: object({ signedBy: text }, { signedBefore: text }),
  },
  "package.hashed": {
    about:
      "A digest of a NuGet package was computed after its publish, or after it was signed. It is " +
      "the SHA-512 of its contents, or the SHA-256 of the signed file.",
    subject: "`nuget/Id@version`",
    detail: oneOf(
      object({ contentHash: sha512 }),
      object({ signedBy: text, servedSha256: sha256 }),
    ),
  },
  "package.unsigned": {
    about: "A package was published without a signature, as the settings allow.",
    subject: "`nuget/Id@version`",
    detail: object({ reason: text }),
  },
  "symbols.published": {
    about: "Symbols of a version were published.",
    subject: "`nuget/Id@version`",
    detail: object({ size: count, sha256, files: count }),
  },
} as const satisfies Readonly<Partial<Record<EventType, EventSchema>>>;
