# Usage: WEBHOOK_SECRET=... ruby verify.rb < body    (exit status 0: the signature is valid)
require "openssl"

TAIL_LENGTH = 87 # ,"signature":"sha256=<64 hex>"}

def verify(body, secret)
  return false if body.bytesize < TAIL_LENGTH

  cut = body.bytesize - TAIL_LENGTH
  digest = OpenSSL::HMAC.hexdigest("SHA256", secret, body.byteslice(0, cut) + "}")
  OpenSSL.secure_compare(body.byteslice(cut, TAIL_LENGTH), %(,"signature":"sha256=#{digest}"}))
end

if $PROGRAM_NAME == __FILE__
  secret = ENV.fetch("WEBHOOK_SECRET", "")
  exit(!secret.empty? && verify($stdin.binmode.read, secret))
end
