/** The sentence about a source whose credentials cannot be decrypted. */
export function unreadable(name: string): string {
  return (
    `The key ring cannot decrypt the credentials of "${name}". Restore its keys, or set the ` +
    `credentials again: sealhouse source add ${name} --replace …`
  );
}
