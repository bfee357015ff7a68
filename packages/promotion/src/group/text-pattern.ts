/** Returns a test for texts that match a pattern in which `*` matches any text, without regard to
 * letter case. Its time grows with the text alone: no regular expression, which could try again. */
export function textPattern(pattern: string): (text: string) => boolean {
  const [first = "", ...parts] = pattern.toLowerCase().split("*");
  const last = parts.pop();
  return (text) => {
    const whole = text.toLowerCase();
    if (last === undefined) return whole === first;
    if (!whole.startsWith(first)) return false;
    let at = first.length;
    for (const part of parts) {
      const found = whole.indexOf(part, at);
      if (found === -1) return false;
      at = found + part.length;
    }
    return whole.length - last.length >= at && whole.endsWith(last);
  };
}
