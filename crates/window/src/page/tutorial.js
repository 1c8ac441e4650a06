// The chapters of the tutorial on a server: each is made when it comes into sight.

async function load(section) {
  watching.unobserve(section);
  const { id } = section.querySelector("h2");
  try {
    const answer = await fetch(`/api/tutorial-chapter?number=${section.dataset.chapter}`);
    const text = await answer.text();
    if (!answer.ok) throw new Error(JSON.parse(text).error);
    section.outerHTML = text;
  } catch (error) {
    section.lastElementChild.textContent = `Cannot make this chapter: ${error.message}; load the page again.`;
    return;
  }
  // The chapters above the wanted one have grown.
  if (location.hash === `#${id}`) document.getElementById(id).scrollIntoView();
}

const watching = new IntersectionObserver((entries) => {
  for (const entry of entries) if (entry.isIntersecting) load(entry.target);
}, { rootMargin: "300px" });
for (const section of document.querySelectorAll("[data-chapter]")) watching.observe(section);
