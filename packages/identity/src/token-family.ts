import type { TokenRecord } from "./ports.ts";

type Member = Pick<TokenRecord, "id" | "parentId" | "replaces" | "createdAt">;

/** Returns the tokens that a token created, those that they created, and so on. */
export function descendantsOf<T extends Member>(tokens: readonly T[], id: string): readonly T[] {
  const found: T[] = [];
  for (let parents = [id]; parents.length > 0;) {
    const children = tokens.filter(({ parentId }) => parents.includes(parentId ?? ""));
    found.push(...children);
    parents = children.map((child) => child.id);
  }
  return found;
}

/** Returns the tokens that a token created before a replacement became their parent. */
export function madeBeforeReplacement<T extends Member>(
  tokens: readonly T[],
  id: string,
): readonly T[] {
  const replacements = tokens.filter(({ replaces }) => replaces === id);
  return replacements.flatMap((replacement) => [
    ...tokens.filter((token) => isMadeBefore(token, replacement)),
    // A replacement may have been replaced, too.
    ...madeBeforeReplacement(tokens, replacement.id).filter(
      ({ createdAt }) => createdAt < replacement.createdAt,
    ),
  ]);
}

function isMadeBefore({ parentId, createdAt }: Member, replacement: Member): boolean {
  return parentId === replacement.id && createdAt < replacement.createdAt;
}
