import type { Settings } from "@sealhouse/settings";
import type { PepperSource } from "../pepper-file.ts";
import { IDENTITY_SETTINGS } from "./table.ts";

const PEPPER_BYTES_MIN = 32;

const PLACEHOLDER =
  /change.?(me|this|it)|place.?holder|replace|your[-_ ]|insert|example|default|pepper|^<.*>$|\$\{/i;

/** Outside Development a missing, short or placeholder pepper is a problem: every token's hash
 * depends on it, and it can never be changed later. */
export function parsePepper(
  settings: Settings,
  options: { readonly development: boolean; readonly path: string },
): PepperSource {
  const value = settings.of(IDENTITY_SETTINGS).get("Host__TokenHashPepper");
  if (value === undefined || value.trim() === "") {
    if (options.development) return { type: "generated", path: options.path };
    settings.problem(
      "Host__TokenHashPepper",
      `is required: a secret of ${PEPPER_BYTES_MIN} bytes or more, such as the output of ` +
        "`openssl rand -base64 48`",
    );
    return { type: "given", value: "" };
  }
  const weakness = weaknessOf(value);
  if (weakness !== undefined && !options.development) {
    settings.problem(
      "Host__TokenHashPepper",
      `${weakness}; allowed: a random secret of ${PEPPER_BYTES_MIN} bytes or more`,
    );
  }
  return { type: "given", value };
}

function weaknessOf(value: string): string | undefined {
  const size = Buffer.byteLength(value);
  if (PLACEHOLDER.test(value)) return "the value is a placeholder";
  if (size < PEPPER_BYTES_MIN) return `the value has only ${size} bytes`;
  if (new Set(value).size < 8) return "the value repeats a few characters";
  return undefined;
}
