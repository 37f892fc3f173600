// The page on its own: one file after the other, chosen above.

const all = JSON.parse(document.getElementById("data").textContent);
const select = document.getElementById("file");
const show = (index) => mount({ parentElement: document.body, data: all[index], linked: false, address: false });
all.forEach((data, index) => select.append(new Option(data.title, String(index))));
select.parentElement.hidden = all.length < 2;
select.onchange = () => show(Number(select.value));
if (all.length) show(0);
else document.querySelector("main").textContent = "No deliverable of this run is known: no file lay beside its log, nothing was written, and it gave no answer.";
