import { isGroupId } from "./microsoft/directory-groups.ts";
import type { ProviderName } from "./provider.ts";

/** The end of a team's address at GitHub. */
const SLUG = /^[a-z0-9][a-z0-9_-]{0,99}$/i;

/**
 * Returns why a text cannot be the group of a team, as the end of a sentence; undefined when it
 * can. Without a provider, the forms of all providers can.
 */
export function teamGroupProblem(
  text: string,
  provider: ProviderName | undefined,
): string | undefined {
  switch (provider) {
    case "microsoft":
      return isGroupId(text)
        ? undefined
        : "is not the object id of a group, such as 00000000-0000-4000-8000-000000000001";
    case "google":
      return "cannot be used: Google does not report groups";
    case "github":
    case undefined:
      return SLUG.test(text) ? undefined : "is not the slug of a team, such as web-people";
  }
}
