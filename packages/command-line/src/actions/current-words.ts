import { CommandError } from "../command.ts";

/** Returns a command line with the former words of a command replaced. */
export function currentWords(words: readonly string[]): readonly string[] {
  const [first, second, ...rest] = words;
  if (first !== "oci") return words;
  if (second === "gc" && rest.includes("--list")) return ["oci", "report", ...reportWords(rest)];
  if (second !== "sign" && second !== "seal") return words;
  const hasKey = rest.includes("--print-key");
  const hasCertificate = rest.includes("--print-certificate");
  if (!hasKey && !hasCertificate) return words;
  const others = rest.filter((word) => !word.startsWith("--print-"));
  return ["oci", hasKey ? (hasCertificate ? "keys" : "key") : "certificate", ...others];
}

const ACTS = ["--apply", "--run", "--dry-run"];

/** `oci gc --list --report ID`: the words after `oci report`. */
function reportWords(typed: readonly string[]): readonly string[] {
  if (typed.some((word) => ACTS.includes(word))) {
    throw new CommandError("Use only one of --dry-run, --apply and --list, not two of them.");
  }
  const words = typed.filter((word) => word !== "--list");
  const at = words.findIndex((word) => /^--report(?:=|$)/.test(word));
  if (at === -1) return ["list", ...words];
  const [, inWord] = words[at]?.split("=") ?? [];
  const rest = words.filter(
    (_, index) => index !== at && (inWord !== undefined || index !== at + 1),
  );
  return ["show", inWord ?? words[at + 1] ?? "", ...rest];
}
