import type { Protocol } from "@sealhouse/request-types";
import type { PolicySeverity } from "./policy-rule.ts";

export const MINIMUM_RELEASE_AGE = "MinimumReleaseAge";

/** Facts about a version that conditions of rules are about. */
export type VersionFacts = {
  /** SPDX expression; undefined: unknown. */
  readonly license?: string | undefined;
  readonly hasInstallScripts?: boolean | undefined;
  /** The highest severity of the advisories on it; undefined: there are none. */
  readonly severity?: PolicySeverity | undefined;
};

/** The source of a version, with the age that its versions must have. */
export type SourceAge = { readonly name: string; readonly minimumReleaseAgeMs: number };

/** A version that a client wants. */
export type WantedVersion = {
  readonly protocol: Protocol;
  readonly name: string;
  /** OCI: a tag or a digest. */
  readonly version: string;
  /** OCI: the digest that a tag points to; rules about it apply, too. */
  readonly digest?: string | undefined;
  /** When its registry published it. When that is unknown: when it was first seen here. */
  readonly publishedAt: Date;
  readonly isDateUnknown?: boolean;
  /** Undefined for packages that were published here. */
  readonly source?: SourceAge | undefined;
  /** It was fetched before: then its age does not matter. */
  readonly isKept?: boolean;
  readonly facts: () => VersionFacts;
  /** Returns the advisory that it is the fix of; then its age does not matter (`FastLane`). */
  readonly fixes?: (() => string | undefined) | undefined;
};

/** `text` is for the person who wants the version. */
export type Refusal =
  | {
      readonly status: "held";
      readonly rule: typeof MINIMUM_RELEASE_AGE;
      readonly text: string;
      readonly until: Date;
    }
  | {
      readonly status: "denied";
      /** Id of the rule. */
      readonly rule: string;
      readonly text: string;
      readonly until?: Date;
    };
/** Whether a version may be used, and why not. `fixes`: the advisory without which it would have to
 * wait. */
export type Decision = { readonly status: "allowed"; readonly fixes?: string } | Refusal;
