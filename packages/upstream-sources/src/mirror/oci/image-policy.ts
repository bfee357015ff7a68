import type { Digest, RepositoryName } from "@sealhouse/oci-distribution";
import { OciError } from "@sealhouse/oci-distribution";
import { decide, rulesFor } from "../../policy/decide.ts";
import { needsJudgement } from "../../policy/judge.ts";
import type { FirstSeen, PolicyRule } from "../../policy/policy-rule.ts";
import { movedText } from "../../policy/policy-texts.ts";
import type { RuleList, RuleSet } from "../../policy/rule-list.ts";
import type { Decision, Refusal, SourceAge, WantedVersion } from "../../policy/wanted-version.ts";
import { contentKeyOf } from "../../sources/package-source.ts";
import type { PackageSource } from "../../sources/package-source.ts";
import { nameAt } from "./image-locator.ts";
import type { WantedImage } from "./image-locator.ts";

export type ImagePolicyParts = {
  readonly rules: RuleList;
  readonly firstSeen: FirstSeen;
  readonly now: () => Date;
};

/** A manifest as a client refers to it. */
export type ImageReference = {
  readonly repository: RepositoryName;
  readonly tag?: string | undefined;
  /** Undefined while it is not known which manifest the tag points to. */
  readonly digest?: Digest | undefined;
};

/** An image that is here, as a page shows it. */
export type ShownImage = ImageReference & { readonly digest: Digest };

/** A manifest of a source that is not here yet. */
export type ForeignManifest = ImageReference & {
  readonly image: WantedImage;
  readonly source: PackageSource;
  readonly digest: Digest;
  /** Its age does not matter. */
  readonly isKept: boolean;
};

/** The decision about an image. `moved`: why its tag answers with an older one. */
export type ImageDecision =
  | Extract<Decision, { readonly status: "allowed" | "denied" }>
  | (Extract<Refusal, { readonly status: "held" }> & { readonly moved: string });

/** The rules about images. Rows are read for the age of a source only. */
export type ImagePolicy = {
  /** Whether there is no rule about images, without a wait; false when rules must be read first. */
  hasNoRules(): boolean;
  /** Whether a rule that denies may apply to the repository. */
  mayDeny(repository: RepositoryName): Promise<boolean>;
  /** The same, and whether the source has an age. */
  mayRefuse(repository: RepositoryName, source: PackageSource): Promise<boolean>;
  /** Decides by rules alone. */
  denial(reference: ImageReference): Promise<Refusal | undefined>;
  /** Notes that the manifest was seen when its age matters. */
  judge(manifest: ForeignManifest): Promise<ImageDecision>;
};

export function createImagePolicy({ rules, firstSeen, now }: ImagePolicyParts): ImagePolicy {
  const mayRefuse = async (name: string, source?: PackageSource): Promise<boolean> => {
    const own = imageRules(await rules.current());
    return needsJudgement({ protocol: "oci", name, source: source && ageOf(source) }, own, now());
  };
  return {
    hasNoRules() {
      const set = rules.known();
      return set !== undefined && imageRules(set).length === 0;
    },
    mayDeny: (repository) => mayRefuse(repository),
    mayRefuse,
    async denial(reference) {
      const own = imageRules(await rules.current());
      const { repository: name } = reference;
      if (rulesFor(own, { protocol: "oci", name }, now()).length === 0) return undefined;
      const decision = decide({ ...wantedOf(reference), publishedAt: now() }, own, now());
      return decision.status === "allowed" ? undefined : decision;
    },
    async judge(manifest) {
      const { image, source, digest, isKept } = manifest;
      const own = imageRules(await rules.current());
      const isAged = !isKept && source.settings.minimumReleaseAgeMs > 0;
      const seen = isAged
        ? await firstSeen.note(contentKeyOf(source), nameAt(source, image), [digest])
        : undefined;
      const publishedAt = seen?.get(digest) ?? now();
      const age = { source: ageOf(source), isKept, publishedAt, isDateUnknown: true };
      const wanted = { ...wantedOf(manifest), ...age };
      const decision = decide(wanted, own, now());
      if (decision.status !== "held") return decision;
      return { ...decision, moved: movedText(wanted, decision.until) };
    },
  };
}

/** Returns the error that shows the text of a refusal to the client. */
export function refusedImage(
  { text: message }: Refusal,
  { repository, tag, digest }: ImageReference,
): OciError {
  return new OciError("DENIED", { message, details: [{ name: repository, tag, digest }] });
}

const imageRulesOf = new WeakMap<RuleSet, readonly PolicyRule[]>();

/** Most registries have no rule about images. */
function imageRules(set: RuleSet): readonly PolicyRule[] {
  const known = imageRulesOf.get(set);
  if (known) return known;
  const own = set.rules.filter(({ protocol }) => protocol === "oci");
  imageRulesOf.set(set, own);
  return own;
}

function ageOf({ name, settings }: PackageSource): SourceAge {
  return { name, minimumReleaseAgeMs: settings.minimumReleaseAgeMs };
}

function wantedOf({ repository, tag, digest }: ImageReference): Omit<WantedVersion, "publishedAt"> {
  const version = tag ?? digest ?? "";
  return { protocol: "oci", name: repository, version, digest, facts: () => ({}) };
}
