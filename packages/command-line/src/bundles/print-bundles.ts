import { printOf } from "../actions/print.ts";

/** Prints the key of bundles. */
export const BUNDLE_PRINTS = {
  "bundles.key": printOf<{ readonly publicKey: string }>({
    text: ({ publicKey }, { stdout }) => stdout(publicKey.trimEnd()),
  }),
};
