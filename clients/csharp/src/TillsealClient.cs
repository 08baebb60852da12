using System;
using System.Collections.Generic;
using System.Globalization;
using System.Net.Http;
using System.Net.Http.Headers;
using System.Text;
using System.Threading;
using System.Threading.Tasks;

namespace Tillseal
{
    /// <summary>
    /// Calls Tillseal. One attempt per call, given up after <see cref="Timeout"/>; an <see cref="Outbox"/> adds what a till needs on top.
    /// Safe for use from several threads; make one and keep it.
    /// </summary>
    public sealed class TillsealClient : IDisposable
    {
        private readonly HttpClient http;

        /// <param name="url">Where Tillseal is, for example https://tillseal.example.com.</param>
        /// <param name="token">Of the taxpayer (tsk_…) or the vendor (tsv_…).</param>
        /// <param name="handler">Your own, for a proxy for example. It must not follow redirects.</param>
        public TillsealClient(string url, string token, HttpMessageHandler handler = null)
        {
            if (string.IsNullOrEmpty(token)) throw new ArgumentException("a token is needed: an operator issues it", nameof(token));
            http = new HttpClient(handler ?? new HttpClientHandler { AllowAutoRedirect = false, UseCookies = false, MaxConnectionsPerServer = 64 })
            {
                BaseAddress = new Uri(url.TrimEnd('/') + "/"),
                MaxResponseContentBufferSize = 64 << 20,
                // Each call has its own: the outbox gives up earlier, waiting for events later.
                Timeout = System.Threading.Timeout.InfiniteTimeSpan,
            };
            http.DefaultRequestHeaders.Authorization = new AuthenticationHeaderValue("Bearer", token);
            http.DefaultRequestHeaders.UserAgent.ParseAdd("tillseal-csharp/0.2.0");
            http.DefaultRequestHeaders.ExpectContinue = false;
        }

        /// <summary>After which an attempt is given up.</summary>
        public TimeSpan Timeout { get; set; } = TimeSpan.FromSeconds(30);

        /// <summary>Signs a receipt. After a <see cref="NoAnswerException"/> or <see cref="TryAgainException"/> send the same one again.</summary>
        /// <param name="isLate">It was sold a while ago: if its date is too old for the device, the next possible one is signed.</param>
        public async Task<SignedReceipt> SignAsync(Receipt receipt, bool isLate = false, CancellationToken cancellation = default(CancellationToken))
        {
            var answer = await SendAsync(SignRequest(Json.Write(receipt), isLate), Timeout, cancellation).ConfigureAwait(false);
            return answer.AsSigned();
        }

        /// <summary>Checks a receipt against every rule; nothing is sealed. Gives it as it would be signed.</summary>
        public Task<Receipt> CheckAsync(Receipt receipt, CancellationToken cancellation = default(CancellationToken)) =>
            CallAsync<Receipt>("POST", "/api/receipt/check", receipt, cancellation);

        /// <summary>Completes Taxes, TotalAmount and the amount of a single payment. <see cref="TaxSums.Complete"/> does the same offline.</summary>
        public Task<Receipt> CalculateAsync(Receipt receipt, CancellationToken cancellation = default(CancellationToken)) =>
            CallAsync<Receipt>("POST", "/api/receipt/calculate", receipt, cancellation);

        /// <summary>Reads what happened, in order, from the event after this number; 0 for all.</summary>
        public EventReader Events(long after = 0) => new EventReader(this, after);

        /// <summary>Any other operation of the API; <c>/docs</c> lists them.</summary>
        /// <typeparam name="T">An object with properties named as in the answer, or <c>Dictionary&lt;string, object&gt;</c>.</typeparam>
        /// <param name="path">With its query, for example <c>/api/receipt?Currency=USD</c>; use <see cref="Uri.EscapeDataString"/> for its parts.</param>
        /// <param name="body">Written as JSON; null for none.</param>
        public async Task<T> CallAsync<T>(string method, string path, object body = null, CancellationToken cancellation = default(CancellationToken))
        {
            var answer = await SendAsync(Request(method, path, body == null ? null : Json.Write(body)), Timeout, cancellation).ConfigureAwait(false);
            return answer.As<T>();
        }

        internal HttpRequestMessage SignRequest(string body, bool isLate)
        {
            var request = Request("POST", "/api/receipt/sign", body);
            if (isLate) request.Headers.Add("Late-Receipt", "true");
            return request;
        }

        internal HttpRequestMessage Request(string method, string path, string body)
        {
            var request = new HttpRequestMessage(new HttpMethod(method), path.TrimStart('/'));
            request.Headers.Accept.ParseAdd("application/json");
            if (body != null) request.Content = new StringContent(body, new UTF8Encoding(false), "application/json");
            return request;
        }

        /// <summary>One attempt: whatever status was answered, or NoAnswerException.</summary>
        internal async Task<Answer> SendAsync(HttpRequestMessage request, TimeSpan timeout, CancellationToken cancellation)
        {
            using (request)
            using (var giveUp = CancellationTokenSource.CreateLinkedTokenSource(cancellation))
            {
                giveUp.CancelAfter(timeout);
                try
                {
                    using (var response = await http.SendAsync(request, HttpCompletionOption.ResponseContentRead, giveUp.Token).ConfigureAwait(false))
                    {
                        // Not ReadAsStringAsync: it believes in whatever charset the answer names, and throws at one it does not know.
                        var bytes = await response.Content.ReadAsByteArrayAsync().ConfigureAwait(false);
                        return new Answer(response, Encoding.UTF8.GetString(bytes));
                    }
                }
                catch (OperationCanceledException error)
                {
                    cancellation.ThrowIfCancellationRequested();
                    throw new NoAnswerException($"no answer within {timeout.TotalSeconds.ToString("0.#", CultureInfo.InvariantCulture)} s", error);
                }
                catch (Exception error) when (error is HttpRequestException || error is System.IO.IOException || error is System.Net.WebException || error is ObjectDisposedException)
                {
                    throw new NoAnswerException($"no answer: {(error.InnerException ?? error).Message}", error);
                }
            }
        }

        public void Dispose() => http.Dispose();
    }
}
