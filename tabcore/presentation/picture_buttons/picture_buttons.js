// Saves the figure beside these buttons by plotly's own camera, as the format that is asked for.

// A saved figure has the page's background, for its words have the page's ink; and a font that a picture has by itself,
// since a picture cannot load the page's.
function dressed(layout) {
  const app = document.querySelector("[data-testid=stApp]") ?? document.body;
  const paper = getComputedStyle(app).backgroundColor;
  return { ...layout, paper_bgcolor: paper, font: { ...layout.font, family: "Arial, Helvetica, sans-serif" } };
}

function save(plot, format, { name, scale }) {
  const layout = plot.layout;
  plot._context.toImageButtonOptions = { format, filename: name, scale: format === "png" ? scale : 1 };
  plot.layout = dressed(layout);
  plot.querySelector(".modebar-btn[data-title^='Download plot']")?.click();
  plot.layout = layout;
}

export default function ({ parentElement: root, data }) {
  const here = root.getRootNode().host ?? root;
  for (const button of root.querySelectorAll("button")) {
    button.title = `Save the figure as ${data.name}.${button.dataset.format}`;
    button.onclick = () => {
      const plot = here.closest(`[class*="st-key-${data.beside}-"]`)?.querySelector(".js-plotly-plot");
      if (plot?._context) save(plot, button.dataset.format, data);
    };
  }
}
