/** Returns a test for texts that match a pattern in which `*` matches any text, without regard to
 * letter case. */
export function textPattern(pattern: string): (text: string) => boolean {
  const parts = pattern.split("*").map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
  const whole = new RegExp(`^${parts.join(".*")}$`, "i");
  return (text) => whole.test(text);
}
