/** Encodes DER as PEM, with a label such as `CERTIFICATE`. */
export function encodePem(label: string, der: Uint8Array): string {
  const lines = Buffer.from(der).toString("base64").replaceAll(/.{64}/g, "$&\n").trimEnd();
  return `-----BEGIN ${label}-----\n${lines}\n-----END ${label}-----\n`;
}
