// The worker of browsers.

import { serve } from './serve.js';

serve((listener) => (self.onmessage = ({ data }) => listener(data)), (message, transfer) => self.postMessage(message, transfer));
