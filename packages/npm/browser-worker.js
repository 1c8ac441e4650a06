import { serve } from "./worker.js";

const receive = serve((message) => self.postMessage(message));
self.onmessage = ({ data }) => receive(data);
