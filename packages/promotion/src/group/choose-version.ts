import { comparePackageVersions, parsePackageVersion } from "@sealhouse/nuget-protocol";
import type { VersionRule } from "./package-group.ts";
import { textPattern } from "./text-pattern.ts";

/** A version that a release may take; of images a tag. */
export type VersionChoice = {
  readonly version: string;
  /** False for versions that search does not show. */
  readonly isListed: boolean;
  /** dist-tags of an npm version; of an image its own tag. */
  readonly tags: readonly string[];
};

/**
 * Returns the version that a rule takes. The order of versions is that of NuGet, which is also the
 * order of Semantic Versioning; tags of images may begin with `v`. No rule takes an unlisted
 * version. Tags that are not versions are taken by `latest-tag` and `exact` only.
 */
export function chooseVersion(
  rule: VersionRule,
  all: readonly VersionChoice[],
): VersionChoice | undefined {
  const choices = all.filter(({ isListed }) => isListed);
  switch (rule.type) {
    case "exact":
      return choices.find(({ version }) => version.toLowerCase() === rule.text.toLowerCase());
    case "latest-tag":
      return choices.find(({ tags }) => tags.includes("latest"));
    case "latest-stable":
      return highest(choices, (version) => !version.isPrerelease);
    case "latest":
      return highest(choices, () => true);
    case "pattern": {
      const fits = textPattern(rule.text);
      return highest(choices, ({ normalized }, { version }) => fits(version) || fits(normalized));
    }
  }
}

type Parsed = NonNullable<ReturnType<typeof parsePackageVersion>>;

function highest(
  choices: readonly VersionChoice[],
  fits: (version: Parsed, choice: VersionChoice) => boolean,
): VersionChoice | undefined {
  let best: { readonly choice: VersionChoice; readonly parsed: Parsed } | undefined;
  for (const choice of choices) {
    const parsed = parsedVersion(choice.version);
    if (!parsed || !fits(parsed, choice)) continue;
    if (!best || comparePackageVersions(parsed, best.parsed) > 0) best = { choice, parsed };
  }
  return best?.choice;
}

function parsedVersion(text: string): Parsed | undefined {
  return parsePackageVersion(text.replace(/^v(?=\d)/, ""));
}
