/** Without vowels, so that no code is a word, and without what looks like another character. */
const ALPHABET = "BCDFGHJKLMNPQRSTVWXZ23456789";
const LENGTH = 8;
const CODE = new RegExp(`^[${ALPHABET}]{${LENGTH}}$`);
/** Bytes from here on would make some characters likelier than others. */
const FAIR_BELOW = 256 - (256 % ALPHABET.length);

/** Makes what a person reads aloud and types: `BCDF-2345`, one of 378 thousand million. */
export function makeLoginCode(random: (size: number) => Uint8Array): string {
  let code = "";
  while (code.length < LENGTH) {
    for (const byte of random(2 * LENGTH)) {
      if (byte < FAIR_BELOW && code.length < LENGTH) code += ALPHABET[byte % ALPHABET.length];
    }
  }
  return formatCode(code);
}

/** Reads a code in any letter case, with the dash or without; undefined when it is none. */
export function parseLoginCode(text: string): string | undefined {
  const code = text.trim().toUpperCase().replaceAll(/[\s-]/g, "");
  return CODE.test(code) ? formatCode(code) : undefined;
}

function formatCode(code: string): string {
  return `${code.slice(0, LENGTH / 2)}-${code.slice(LENGTH / 2)}`;
}
