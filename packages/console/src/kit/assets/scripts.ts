/**
 * The only script of the pages: it shows the copy buttons and copies their lines. Plain HTTP has no
 * clipboard API; there the script selects the lines and runs the old copy command.
 */
export const COPY_SCRIPT = `
for (const button of document.querySelectorAll("button.copy")) {
  const lines = document.getElementById(button.dataset.lines);
  const said = button.querySelector("span");
  const select = () => {
    getSelection().selectAllChildren(lines);
    return document.execCommand("copy");
  };
  button.hidden = false;
  button.addEventListener("click", async () => {
    const text = lines.textContent.trim();
    const copied = navigator.clipboard
      ? await navigator.clipboard.writeText(text).then(() => true, select)
      : select();
    said.textContent = copied ? "Copied" : "Press Ctrl+C";
    setTimeout(() => { said.textContent = "Copy"; }, 2000);
  });
}
`;

/**
 * The script of pages with a passkey: it asks the browser for one, and sends its answer with the
 * form. The options of the request are in the form.
 */
export const PASSKEY_SCRIPT = `
for (const form of document.querySelectorAll("form[data-passkey]")) {
  const { passkey, options } = form.dataset;
  const answer = form.elements.namedItem("answer");
  const said = form.querySelector("[role=status]");
  const button = form.querySelector("button");
  const kind = window.PublicKeyCredential;
  if (!kind || !kind.parseCreationOptionsFromJSON) {
    said.textContent = "This browser has no passkeys. Use a newer one.";
    continue;
  }
  button.disabled = false;
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    button.disabled = true;
    said.textContent = "Follow the instructions of your browser.";
    try {
      const json = JSON.parse(options);
      const credential = passkey === "create"
        ? await navigator.credentials.create({ publicKey: kind.parseCreationOptionsFromJSON(json) })
        : await navigator.credentials.get({ publicKey: kind.parseRequestOptionsFromJSON(json) });
      answer.value = JSON.stringify(credential.toJSON());
      form.submit();
    } catch (error) {
      button.disabled = false;
      said.textContent = error.name === "InvalidStateError"
        ? "This device has a passkey of your account already."
        : "The browser gave no passkey. Try again.";
    }
  });
}
`;
