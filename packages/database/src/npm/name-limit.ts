import { sql } from "#kysely";
import type { Expression, RawBuilder, SqlBool } from "#kysely";
import { nameFormsOf } from "@sealhouse/npm-protocol";
import type { NameForm } from "@sealhouse/npm-protocol";
import { escapeLike } from "../raw/like.ts";
import type { Dialect } from "../statements/dialects/dialect.ts";
import { param } from "../statements/kinds.ts";
import type { Values } from "../statements/kinds.ts";
import type { Parameters } from "../statements/parameter.ts";

/** Patterns of names with a scope, and of those without one. */
export const NAME_PATTERNS = {
  scopedLikes: param.texts,
  scopedGlobs: param.texts,
  likes: param.texts,
  globs: param.texts,
};

/** Whether a pattern matches the name. */
export function nameMatches(
  name: Expression<string>,
  { scopedLikes, scopedGlobs, likes, globs }: Parameters<typeof NAME_PATTERNS>,
  own: Dialect,
): RawBuilder<SqlBool> {
  const scoped = own.matchesAny(name, { likes: scopedLikes, globs: scopedGlobs });
  const unscoped = own.matchesAny(name, { likes, globs });
  return sql`(${scoped} or (${name} not like '%/%' and ${unscoped}))`;
}

/** The patterns of `names` for `nameMatches`. */
export function namePatterns(names: readonly string[]): Values<typeof NAME_PATTERNS> {
  const forms = nameFormsOf(names);
  const scoped = forms.filter(({ isScoped }) => isScoped);
  const unscoped = forms.filter(({ isScoped }) => !isScoped);
  return {
    scopedLikes: scoped.map(likeOf),
    scopedGlobs: scoped.map(globOf),
    likes: unscoped.map(likeOf),
    globs: unscoped.map(globOf),
  };
}

function likeOf({ parts }: NameForm): string {
  return parts.map(escapeLike).join("%");
}

function globOf({ parts }: NameForm): string {
  return parts.map((text) => text.replaceAll(/[*?[]/g, (sign) => `[${sign}]`)).join("*");
}
