import hostedGitInfo from "hosted-git-info";
import { dictionary, stringMapOf } from "../json.ts";

type StringMap = Readonly<Record<string, string>>;

/** Far longer than any address; the library keeps what it has read. */
const ADDRESS_LENGTH_MAX = 1024;

/**
 * Dependencies as npm normalises them: a text or a list of `name@range` becomes a map, and each
 * spelling of a repository at GitHub, GitLab, Bitbucket or SourceHut, or of a gist, becomes the one
 * that npm writes.
 */
export function dependencyMapOf(value: unknown): StringMap {
  const list = typeof value === "string" ? value.trim().split(/[\s,]+/) : value;
  const map = Array.isArray(list) ? listed(list) : stringMapOf(value);
  return dictionary(Object.entries(map).map(([name, spec]) => [name, hostedSpecOf(spec)]));
}

/** Splits as npm does. */
function listed(list: readonly unknown[]): StringMap {
  const texts = list.filter((entry) => typeof entry === "string");
  return dictionary(
    texts.map((text): [string, string] => {
      const [name = "", ...range] = text.trim().split(/(:?[@\s><=])/);
      return [name, range.join("").replace(/^@/, "").trim()];
    }),
  );
}

function hostedSpecOf(spec: string): string {
  if (!/[/:@]/.test(spec) || spec.length > ADDRESS_LENGTH_MAX) return spec;
  return hostedGitInfo.fromUrl(spec)?.toString() ?? spec;
}
