/**
 * The only script there is: copy buttons show themselves and copy the lines they belong to. Plain
 * http has no clipboard to write to, so the lines are selected and copied the old way there.
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
