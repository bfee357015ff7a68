const TOKEN = /\s*(\(|\)|[A-Za-z0-9][A-Za-z0-9.-]*\+?)/y;
const DEPTH_MAX = 32;
const OPERATORS: ReadonlySet<string> = new Set(["AND", "OR", "WITH"]);

/**
 * True for an SPDX licence expression: identifiers, each with an optional `+`, joined by `AND`,
 * `OR` and `WITH`, grouped by parentheses. Whether an identifier exists is not asked.
 */
export function isLicenseExpression(text: string): boolean {
  const tokens = tokensOf(text);
  return tokens !== undefined && expressionEnd(tokens, 0, 0) === tokens.length;
}

function tokensOf(text: string): readonly string[] | undefined {
  const tokens: string[] = [];
  const trimmed = text.trim();
  TOKEN.lastIndex = 0;
  for (let end = 0; end < trimmed.length; end = TOKEN.lastIndex) {
    const token = TOKEN.exec(trimmed)?.[1];
    if (token === undefined) return undefined;
    tokens.push(token);
  }
  return tokens;
}

/** Position where the expression from `start` ends; -1 when there is none. */
function expressionEnd(tokens: readonly string[], start: number, depth: number): number {
  let end = operandEnd(tokens, start, depth);
  while (end !== -1 && (tokens[end] === "AND" || tokens[end] === "OR")) {
    end = operandEnd(tokens, end + 1, depth);
  }
  return end;
}

function operandEnd(tokens: readonly string[], start: number, depth: number): number {
  if (tokens[start] === "(") {
    const end = depth < DEPTH_MAX ? expressionEnd(tokens, start + 1, depth + 1) : -1;
    return end !== -1 && tokens[end] === ")" ? end + 1 : -1;
  }
  if (!isIdentifier(tokens[start])) return -1;
  if (tokens[start + 1] !== "WITH") return start + 1;
  const exception = tokens[start + 2];
  return isIdentifier(exception) && !exception?.endsWith("+") ? start + 3 : -1;
}

function isIdentifier(token: string | undefined): boolean {
  return token !== undefined && token !== "(" && token !== ")" && !OPERATORS.has(token);
}
