// The chapters of the tutorial on a server: each is made when it comes into sight.

async function load(section) {
  watching.unobserve(section);
  const answer = await fetch(`/api/tutorial-chapter?number=${section.dataset.chapter}`).catch((error) => ({ ok: false, statusText: error.message }));
  const heading = section.querySelector("h2");
  if (!answer.ok) {
    section.lastElementChild.textContent = `Cannot make this chapter: ${answer.statusText}; load the page again.`;
    return;
  }
  section.outerHTML = await answer.text();
  // What is above the wanted chapter has grown.
  if (location.hash === `#${heading.id}`) document.getElementById(heading.id).scrollIntoView();
}

const watching = new IntersectionObserver((entries) => {
  for (const entry of entries) if (entry.isIntersecting) load(entry.target);
}, { rootMargin: "300px" });
for (const section of document.querySelectorAll("[data-chapter]")) watching.observe(section);
