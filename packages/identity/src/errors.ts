/** A token or limit that cannot be made as asked. The message says what would be allowed. */
export class TokenSettingError extends Error {
  override readonly name = "TokenSettingError";
  readonly code = "token-setting-invalid";
  readonly setting: TokenSetting;

  constructor(setting: TokenSetting, message: string) {
    super(message);
    this.setting = setting;
  }
}

export type TokenSetting =
  | "parent"
  | "name"
  | "scopes"
  | "protocols"
  | "patterns"
  | "networks"
  | "expires";

/** Protected bytes that this key ring cannot open, or key files that cannot be used. */
export class KeyRingError extends Error {
  override readonly name = "KeyRingError";
  readonly code: "unknown-key" | "not-protected" | "tampered" | "bad-key-file";

  constructor(code: KeyRingError["code"], message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.code = code;
  }
}
