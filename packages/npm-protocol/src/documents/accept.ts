export const FULL_TYPE = "application/json";
export const ABBREVIATED_TYPE = "application/vnd.npm.install-v1+json";

/** Whether an Accept header prefers the abbreviated packument. Only where it is named: `*` means
 * the full one, which is what a request without the header gets, too. */
export function wantsAbbreviated(accept: string | undefined): boolean {
  if (!accept?.includes(ABBREVIATED_TYPE)) return false;
  const abbreviated = qualityOf(accept, ABBREVIATED_TYPE) ?? 0;
  return abbreviated > 0 && abbreviated >= (qualityOf(accept, FULL_TYPE) ?? 0);
}

function qualityOf(accept: string, type: string): number | undefined {
  for (const range of accept.split(",")) {
    const [name, ...parameters] = range.split(";").map((part) => part.trim());
    if (name?.toLowerCase() !== type) continue;
    const quality = parameters.find((parameter) => /^q=/i.test(parameter));
    return quality === undefined ? 1 : Number(quality.slice(2)) || 0;
  }
  return undefined;
}
