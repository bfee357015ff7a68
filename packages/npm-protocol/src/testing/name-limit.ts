import type { NameLimit } from "../search/ports.ts";

/** Whether one of the patterns covers the name. */
export function isWithin({ names }: NameLimit, name: string): boolean {
  return names === undefined || names.some((pattern) => expressionOf(pattern).test(name));
}

function expressionOf(pattern: string): RegExp {
  const isOptional = pattern.endsWith("/**");
  const text = (isOptional ? pattern.slice(0, -"/**".length) : pattern).replaceAll(
    /\*\*+|[^\w]/g,
    (sign) => (sign.startsWith("**") ? ".*" : sign === "*" ? "[^/]*" : `\\${sign}`),
  );
  return new RegExp(`^${text}${isOptional ? "(?:/.*)?" : ""}$`);
}
