// Shows a modal that the bot opened, and sends what was filled in. One that was
// cancelled does not come again.

const $ = (id) => document.getElementById(id);

export function openModal(modal, submit) {
  const dialog = $("modal");
  if (dialog.open || dialog.dataset.shown === modal.id) return;
  dialog.dataset.shown = modal.id;
  $("modal-title").textContent = modal.title;
  const inputs = modal.components.flatMap((row) => row.components ?? [row.component]);
  $("modal-fields").replaceChildren(...inputs.map(field));
  $("modal-cancel").onclick = () => dialog.close();
  dialog.querySelector("form").onsubmit = () => {
    const fields = {};
    for (const input of $("modal-fields").querySelectorAll("input, textarea")) fields[input.name] = input.value;
    submit(fields);
  };
  dialog.showModal();
}

const paragraph = 2;

function field(input) {
  const label = document.createElement("label");
  const control = document.createElement(input.style === paragraph ? "textarea" : "input");
  control.name = input.custom_id;
  control.value = input.value ?? "";
  control.placeholder = input.placeholder ?? "";
  control.required = input.required ?? true;
  if (input.max_length) control.maxLength = input.max_length;
  label.append(input.label, control);
  return label;
}
