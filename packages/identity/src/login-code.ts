/** No vowels, which avoids words, and no characters that look like others. */
const ALPHABET = "BCDFGHJKLMNPQRSTVWXZ23456789";
const LENGTH = 8;
const CODE = new RegExp(`^[${ALPHABET}]{${LENGTH}}$`);
/** Larger bytes would make some characters more likely. */
const FAIR_BELOW = 256 - (256 % ALPHABET.length);

/**
 * Creates a code that users read aloud and type, such as `BCDF-2345`; 3.8 * 10^11 possible values.
 */
export function makeLoginCode(random: (size: number) => Uint8Array): string {
  let code = "";
  while (code.length < LENGTH) {
    for (const byte of random(2 * LENGTH)) {
      if (byte < FAIR_BELOW && code.length < LENGTH) code += ALPHABET[byte % ALPHABET.length];
    }
  }
  return formatCode(code);
}

/** Parses a code in any letter case, with or without the dash; undefined when it is not a code. */
export function parseLoginCode(text: string): string | undefined {
  const code = text.trim().toUpperCase().replaceAll(/[\s-]/g, "");
  return CODE.test(code) ? formatCode(code) : undefined;
}

function formatCode(code: string): string {
  return `${code.slice(0, LENGTH / 2)}-${code.slice(LENGTH / 2)}`;
}
