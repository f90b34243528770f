# scores fall with distance (ALiBi), and the head has the weights of the words
import math
import torch
import torch.nn.functional as F
from torch import nn
PRE=True; POS='alibi'; TIED=True; BIAS=False; ACT=nn.GELU; SDPA=False; DROP=0.0; WIDE=4; STD=0.1; RMS=False

class Norm(nn.Module):
    def __init__(s,d):
        super().__init__(); s.w=nn.Parameter(torch.ones(d))
    def forward(s,x): return x*torch.rsqrt(x.pow(2).mean(-1,keepdim=True)+1e-6)*s.w
def norm(d): return Norm(d) if RMS else nn.LayerNorm(d)
def rope(x):
    n,d=x.shape[-2:]
    f=10000.0**(-torch.arange(0,d,2,dtype=x.dtype)/d); a=torch.arange(n,dtype=x.dtype)[:,None]*f
    c,s=a.cos(),a.sin(); u,v=x[...,0::2],x[...,1::2]
    return torch.stack([u*c-v*s,u*s+v*c],-1).flatten(-2)
class Block(nn.Module):
    def __init__(s,d,h):
        super().__init__(); s.h=h; s.n1=norm(d); s.n2=norm(d)
        s.q=nn.Linear(d,d,bias=BIAS); s.k=nn.Linear(d,d,bias=BIAS); s.v=nn.Linear(d,d,bias=BIAS); s.o=nn.Linear(d,d,bias=BIAS)
        s.m=nn.Sequential(nn.Linear(d,WIDE*d,bias=BIAS),ACT(),nn.Linear(WIDE*d,d,bias=BIAS)); s.drop=nn.Dropout(DROP)
    def att(s,x):
        b,n,d=x.shape
        q,k,v=(f(x).view(b,n,s.h,d//s.h).transpose(1,2) for f in (s.q,s.k,s.v))
        if POS=='rope': q,k=rope(q),rope(k)
        if SDPA: y=F.scaled_dot_product_attention(q,k,v,is_causal=True)
        else:
            w=q@k.mT/math.sqrt(d//s.h)
            if POS=='alibi':
                i=torch.arange(n); w=w-(i[:,None]-i).to(w.dtype)*torch.tensor([2.0**-(j+1) for j in range(s.h)],dtype=w.dtype)[:,None,None]
            w=w.masked_fill(~torch.ones(n,n,dtype=torch.bool).tril(),float('-inf')).softmax(-1); y=s.drop(w)@v
        return s.drop(s.o(y.transpose(1,2).reshape(b,n,d)))
    def forward(s,x):
        if PRE:
            x=x+s.att(s.n1(x)); return x+s.drop(s.m(s.n2(x)))
        x=s.n1(x+s.att(x)); return s.n2(x+s.drop(s.m(x)))
class TinyGPT(nn.Module):
    def __init__(s,vocab_size,d_model,num_heads,num_layers,context_length):
        super().__init__(); s.c=context_length; s.t=nn.Embedding(vocab_size,d_model)
        if POS=='learned': s.p=nn.Embedding(context_length,d_model)
        if POS=='sin':
            a=torch.arange(context_length)[:,None]*10000.0**(-torch.arange(0,d_model,2)/d_model)
            s.register_buffer('p',torch.stack([a.sin(),a.cos()],-1).flatten(-2))
        s.b=nn.ModuleList([Block(d_model,num_heads) for _ in range(num_layers)]); s.f=norm(d_model)
        s.h=nn.Linear(d_model,vocab_size,bias=BIAS and not TIED)
        if TIED: s.h.weight=s.t.weight
        if STD:
            for m in s.modules():
                if isinstance(m,(nn.Linear,nn.Embedding)): nn.init.normal_(m.weight,std=STD)
    def forward(s,i):
        x=s.t(i)
        if POS=='learned': x=x+s.p(torch.arange(i.shape[1]))
        if POS=='sin': x=x+s.p[:i.shape[1]]
        for b in s.b: x=b(x)
        return s.h(s.f(x))
    @torch.no_grad()
    def generate(s,idx,max_new_tokens):
        for _ in range(max_new_tokens):
            idx=torch.cat([idx,s(idx[:,-s.c:])[:,-1].argmax(-1,keepdim=True)],1)
        return idx
