import { OID } from "../der/oid.ts";
import type { ForgedCase } from "./forged-case.ts";
import { NO_TIMESTAMP, repositoryStamped, stamped } from "./forged-case.ts";
import {
  author,
  days,
  expired,
  fresh,
  repository,
  seconds,
  timeFuture,
  timeSha1,
  timeShort,
  timeUntrusted,
  timeWrongUsage,
} from "./forged-identities.ts";

/** Faults and valid oddities of times. */
export const forgedTimes: readonly ForgedCase[] = [
  { name: "time-stamp", package: repositoryStamped({}), codes: [] },
  {
    name: "time-stamp with SHA-512",
    package: repositoryStamped({ imprintHash: "sha512", signer: { hash: "sha512" } }),
    codes: [],
  },
  {
    name: "time-stamp bound by version 1",
    package: repositoryStamped({ signer: { binding: "v1" } }),
    codes: [],
  },
  {
    name: "two time-stamps",
    package: repositoryStamped({}, { at: seconds(-120) }),
    codes: [],
  },
  {
    name: "a countersignature with its time-stamp",
    package: {
      signer: { identity: author, kind: "author", ...stamped({}) },
      countersigners: [{ identity: repository, owners: ["alice"], ...stamped({}) }],
    },
    codes: [],
  },
  {
    name: "an expired certificate",
    package: { signer: { identity: expired } },
    codes: ["Error NU3037", NO_TIMESTAMP],
  },
  {
    name: "an expired certificate with a time-stamp of its time",
    package: { signer: { identity: expired, ...stamped({ at: days(-20) }) } },
    codes: [],
  },
  {
    name: "an expired certificate with a late time-stamp",
    package: { signer: { identity: expired, ...stamped({ at: days(-1) }) } },
    codes: ["Error NU3037"],
  },
  {
    name: "a time-stamp at the first second of the certificate",
    package: { signer: { identity: fresh, ...stamped({ at: seconds(-3600) }) } },
    codes: ["Error NU3037"],
  },
  {
    name: "a time-stamp one second later",
    package: { signer: { identity: fresh, ...stamped({ at: seconds(-3599) }) } },
    codes: [],
  },
  {
    name: "a time-stamp one second later that may be a second off",
    package: {
      signer: { identity: fresh, ...stamped({ at: seconds(-3599), accuracy: { seconds: 1 } }) },
    },
    codes: ["Error NU3037"],
  },
  {
    name: "a time-stamp one second later that may be 999 ms off",
    package: {
      signer: { identity: fresh, ...stamped({ at: seconds(-3599), accuracy: { millis: 999 } }) },
    },
    codes: [],
  },
  {
    name: "a time-stamp one second later under the baseline policy",
    package: {
      signer: {
        identity: fresh,
        ...stamped({ at: seconds(-3599), policy: OID.baselineTimestampPolicy }),
      },
    },
    codes: ["Error NU3037"],
    sdk: {
      codes: [],
      valid: true,
      why: "on .NET the client compares the name of a type with the policy, and grants no second",
    },
  },
  {
    name: "an expired author, countersigned with a time-stamp of the author's time",
    package: {
      signer: { identity: expired, kind: "author" },
      countersigners: [{ identity: repository, ...stamped({ at: days(-0.5) }) }],
    },
    codes: ["Error NU3037", NO_TIMESTAMP],
  },
  {
    name: "a time-stamp of another signature",
    package: repositoryStamped({ isOfOther: true }),
    codes: ["Error NU3019"],
  },
  {
    name: "a time-stamp without its certificate",
    package: repositoryStamped({ hasNoCertificate: true }),
    codes: ["Error NU3020"],
  },
  {
    name: "a time-stamp with another content",
    package: repositoryStamped({ contentType: OID.data }),
    codes: ["Error NU3021"],
  },
  {
    name: "a time-stamp with a corrupt signature",
    package: repositoryStamped({ signer: { isCorrupt: true } }),
    codes: ["Error NU3021"],
  },
  {
    name: "a time-stamp with a wrong message digest",
    package: repositoryStamped({ signer: { messageDigest: Buffer.alloc(32) } }),
    codes: ["Error NU3021"],
  },
  {
    name: "a time-stamp with two signers",
    package: repositoryStamped({ isSignedTwice: true }),
    codes: ["Error NU3021"],
  },
  {
    name: "a time-stamp that is bound to no certificate",
    package: repositoryStamped({ signer: { binding: "none" } }),
    codes: ["Error NU3021"],
  },
  {
    name: "a time-stamp that is bound to another certificate",
    package: repositoryStamped({ signer: { binding: "wrong" } }),
    codes: ["Error NU3021"],
  },
  {
    name: "an authority whose certificate is signed with SHA-1",
    package: repositoryStamped({ authority: timeSha1 }),
    codes: ["Error NU3022"],
  },
  {
    name: "an authority with a key of 1024 bits",
    package: repositoryStamped({ authority: timeShort }),
    codes: ["Error NU3023"],
  },
  {
    name: "a time-stamp signed with SHA-1",
    package: repositoryStamped({ signer: { hash: "sha1" } }),
    codes: ["Error NU3024"],
  },
  {
    name: "an authority of the day after tomorrow",
    package: repositoryStamped({ authority: timeFuture, at: days(3) }),
    codes: ["Error NU3025"],
  },
  {
    name: "an authority that nobody trusts",
    package: repositoryStamped({ authority: timeUntrusted }),
    codes: ["Error NU3028"],
  },
  {
    name: "an authority that is none",
    package: repositoryStamped({ authority: timeWrongUsage }),
    codes: ["Error NU3028"],
  },
  {
    name: "a time-stamp over SHA-1",
    package: repositoryStamped({ imprintHash: "sha1" }),
    codes: ["Error NU3030"],
  },
  {
    name: "a time-stamp from before its authority",
    package: repositoryStamped({ at: days(-301) }),
    codes: ["Error NU3036"],
  },
];
