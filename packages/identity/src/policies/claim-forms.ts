/** The values of a claim that a build service can send. */
export type ClaimForm = {
  readonly pattern: RegExp;
  /** The expected form, as the end of a sentence. */
  readonly words: string;
};

export const DIGITS: ClaimForm = { pattern: /^\d+$/, words: "a number, such as 4711" };
export const UUID: ClaimForm = {
  pattern: /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i,
  words: "a UUID, such as 0b1e7f62-44a2-4c3e-9a54-0d5e0c6f7a10",
};
export const TRUE_OR_FALSE = oneOf("true", "false");
export const BRANCH_OR_TAG = oneOf("branch", "tag");
export const GITHUB_RUNNERS = oneOf("github-hosted", "self-hosted");
export const GITLAB_RUNNERS = oneOf("gitlab-hosted", "self-hosted");
export const GITHUB_REPOSITORY: ClaimForm = {
  pattern: /^[\w.-]+\/(?!.*\.git$)[\w.-]+$/i,
  words: "an owner and a repository, such as acme/widgets",
};
export const GITHUB_FILE: ClaimForm = {
  pattern: /^[^\p{C}\s/\\@,](?:[^\p{C}/\\@,]*[^\p{C}\s/\\@,])?\.ya?ml$/u,
  words: "a file name in .github/workflows without that folder, such as publish.yml",
};
export const GITHUB_WORKFLOW: ClaimForm = {
  pattern: /^[\w.-]+\/[\w.-]+\/\.github\/workflows\/[^\p{C}\s/\\@,]+\.ya?ml$/u,
  words: "a workflow with its repository, such as acme/ci/.github/workflows/publish.yml",
};
export const GITLAB_PROJECT: ClaimForm = {
  pattern: /^[\w.-]+(?:\/[\w.-]+)*\/(?!.*\.git$)[\w.-]+$/i,
  words: "a group and a project, such as acme/widgets",
};
export const GITLAB_FILE: ClaimForm = {
  pattern: /^(?!\/|\.{1,2}\/|.*\/\.{0,2}\/)[^\p{C}\s\\@,]+\.ya?ml$/u,
  words: "a path in the project, such as .gitlab-ci.yml",
};
export const VCS_ORIGIN: ClaimForm = {
  pattern: /^[\w.-]+(?:\/[\w.-]+){2,}$/,
  words: "a host, an owner and a repository, such as github.com/acme/widgets",
};

function oneOf(...values: readonly string[]): ClaimForm {
  return { pattern: new RegExp(`^(?:${values.join("|")})$`), words: values.join(" or ") };
}

/** Characters of a ref that patterns are compared with; git hosts allow no longer ones. */
const REF_MAX = 255;
/** More would let the comparison of one ref take long. */
const STARS_MAX = 3;

/** Whether a text is a branch or tag, or a pattern of them. Git allows no `*` in their names. */
export function isRefPattern(text: string): boolean {
  return !/[\s\\~^:?[]/.test(text) && (text.match(/\*+/g) ?? []).length <= STARS_MAX;
}

/** Compares a ref with a pattern: `*` is any characters without `/`, `**` any characters. */
export function matchesRef(pattern: string, ref: string): boolean {
  if (!pattern.includes("*")) return pattern === ref;
  if (ref.length > REF_MAX) return false;
  const words = pattern.split(/(\*+)/).map((part) => {
    if (part.startsWith("**")) return ".*";
    return part === "*" ? "[^/]*" : RegExp.escape(part);
  });
  return new RegExp(`^${words.join("")}$`, "su").test(ref);
}
