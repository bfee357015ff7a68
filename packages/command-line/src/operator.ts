import { userInfo } from "node:os";

/** Who is at the command line, for the audit log. */
export function operator(): { readonly actor: string } {
  return { actor: `command line (${userName()})` };
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    // A container's user may have a number and no name.
    return String(process.getuid?.() ?? "unknown");
  }
}
